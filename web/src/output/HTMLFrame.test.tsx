import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ClientContext } from "../core/hooks.js";
import { MemoryClient } from "../core/memory.js";
import { HTMLFrame } from "./HTMLFrame.js";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const client = new MemoryClient();

function show(source = "<b>x</b>", id = "o1", of = client): HTMLIFrameElement {
  const { container } = render(
    <ClientContext value={of}>
      <div tabIndex={-1} data-testid="cell">
        <HTMLFrame id={id} look="html" source={source} title="Result" />
      </div>
    </ClientContext>,
  );
  const frame = container.querySelector("iframe");
  if (!(frame instanceof HTMLIFrameElement)) throw new Error("no frame");
  return frame;
}

function say(source: MessageEventSource | null, data: unknown): void {
  act(() => void fireEvent(window, new MessageEvent("message", { data, source })));
}

function heightOf(frame: HTMLIFrameElement): string | undefined {
  return frame.parentElement?.style.height;
}

test("the frame may run scripts, and nothing else", () => {
  const frame = show();
  expect(frame.getAttribute("sandbox")).toBe("allow-scripts");
  expect(frame.getAttribute("src")).toBe("/frame/");
  expect(frame.hasAttribute("srcdoc") || frame.hasAttribute("allow")).toBe(false);
});

test("the content goes to a frame that is ready", () => {
  const frame = show("<i>hello</i>");
  const post = vi.spyOn(frame.contentWindow ?? window, "postMessage");
  say(frame.contentWindow, { kind: "ready" });
  expect(post.mock.calls.map(([message]) => message)).toContainEqual({ kind: "show", look: "html", source: "<i>hello</i>" });
  expect(post.mock.calls.map(([message]) => message.kind)).toEqual(["theme", "show"]);
  say(frame.contentWindow, { kind: "ready" });
  expect(post.mock.calls.length).toBe(2);
});

test("a height is taken from the frame's own window alone", () => {
  const frame = show("x", "o2");
  const before = heightOf(frame);
  const other = document.createElement("iframe");
  document.body.append(other);
  for (const source of [window, other.contentWindow, null]) say(source, { kind: "height", height: 999 });
  expect(heightOf(frame)).toBe(before);
  for (const data of [{ kind: "height", height: "999" }, { height: 999 }, "height", null]) say(frame.contentWindow, data);
  expect(heightOf(frame)).toBe(before);
  say(frame.contentWindow, { kind: "height", height: 123 });
  expect(heightOf(frame)).toBe("123px");
  other.remove();
});

test("a frame that comes again has its height at once", () => {
  say(show("x", "o3").contentWindow, { kind: "height", height: 222 });
  cleanup();
  expect(heightOf(show("x", "o3"))).toBe("222px");
});

test("a frame that comes again in another page of the tab has its height at once too", () => {
  say(show("x", "o4").contentWindow, { kind: "height", height: 444 });
  cleanup();
  fireEvent(window, new Event("pagehide"));
  expect(heightOf(show("x", "o4", new MemoryClient()))).toBe("444px");
});

test("it is busy until there is something to be seen, or something went wrong", () => {
  const [first, second] = [show("x", "o5"), show("x", "o6")];
  const busy = (frame: HTMLIFrameElement) => frame.parentElement?.getAttribute("aria-busy");
  expect([busy(first), busy(second)]).toEqual(["true", "true"]);
  say(first.contentWindow, { kind: "ready" });
  expect(busy(first)).toBe("true");
  say(first.contentWindow, { kind: "height", height: 30 });
  say(second.contentWindow, { kind: "error", text: "no" });
  expect([busy(first), busy(second)]).toEqual([null, null]);
});

test("a link is opened after the whole host was shown, and only one of the web", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const frame = show();
  say(frame.contentWindow, { kind: "link", href: "https://unasked.example" });
  expect(screen.queryByRole("status")).toBeNull();
  frame.focus();
  for (const href of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:x", "no"]) say(frame.contentWindow, { kind: "link", href });
  expect(screen.queryByRole("status")).toBeNull();
  say(frame.contentWindow, { kind: "link", href: "https://user:name@www.example.com.evil.example:8080/x" });
  expect(screen.getByRole("status").textContent).toContain("www.example.com.evil.example:8080");
  expect(open).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  expect(open).toHaveBeenCalledWith("https://user:name@www.example.com.evil.example:8080/x", "_blank", "noopener,noreferrer");
  expect(screen.queryByRole("status")).toBeNull();
});

test("escape gives the focus back to the cell, if the frame has it", () => {
  const frame = show();
  say(frame.contentWindow, { kind: "escape" });
  expect(document.activeElement).toBe(document.body);
  frame.focus();
  say(frame.contentWindow, { kind: "escape" });
  expect(document.activeElement).toBe(screen.getByTestId("cell"));
});

test("what goes wrong in a frame is said below it, as text", () => {
  const frame = show();
  for (const text of ["<b>no</b>", "<b>no</b>", "two", "three", "four"]) say(frame.contentWindow, { kind: "error", text });
  expect(screen.getAllByText("<b>no</b>").length).toBe(1);
  expect(screen.queryByText("four")).toBeNull();
});
