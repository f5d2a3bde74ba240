import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import { ClientContext } from "../../core/hooks.js";
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

test("a frame that said nothing while the server was away is loaded again when it is back, and no other", () => {
  const away = (): void => act(() => client.status({ online: false, trouble: "no answer" }));
  const back = (): void => act(() => client.store.apply({ status: { seq: 0, pending: 0, online: true } }));
  const first = show();
  const box = first.parentElement;
  back();
  expect(box?.querySelector("iframe")).toBe(first);
  away();
  back();
  const second = box?.querySelector("iframe");
  expect(second).not.toBe(first);
  say(second?.contentWindow ?? null, { kind: "ready" });
  away();
  back();
  expect(box?.querySelector("iframe")).toBe(second);
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

test("an output that sends too many messages is stopped, and can be shown again", async () => {
  const frame = show("x", "flood");
  for (let i = 0; i < 1000 && frame.isConnected; i++) say(frame.contentWindow, i);
  for (let i = 0; i < 300 && frame.isConnected; i++) say(frame.contentWindow, { kind: "height", height: i });
  expect(document.querySelector("iframe")).toBeNull();
  expect(screen.getByRole("note").textContent).toContain("more messages than it can read");
  await userEvent.click(screen.getByRole("button", { name: "Show again" }));
  expect(document.querySelector("iframe")).not.toBe(frame);
  expect(screen.queryByRole("note")).toBeNull();
});

test("a channel that a frame sends is closed", () => {
  const frame = show();
  const { port1 } = new MessageChannel();
  const close = vi.spyOn(port1, "close");
  act(() => void fireEvent(window, new MessageEvent("message", { data: 0, source: frame.contentWindow, ports: [port1] })));
  expect(close).toHaveBeenCalled();
});

test("the focus that a frame takes goes back, unless its channel says that it was pressed", async () => {
  const frame = show();
  const field = document.createElement("input");
  document.body.append(field);
  const ports: MessagePort[] = [];
  vi.spyOn(frame.contentWindow ?? window, "postMessage").mockImplementation((...[, , given]: readonly unknown[]) => {
    if (Array.isArray(given)) ports.push(...given);
  });
  say(frame.contentWindow, { kind: "ready" });
  fireEvent.keyDown(field, { key: "a" });
  const take = (): void => {
    field.focus();
    frame.focus();
    fireEvent.blur(window);
  };
  take();
  expect(document.activeElement).toBe(field);
  say(frame.contentWindow, { kind: "pressed" });
  take();
  expect(document.activeElement).toBe(field);
  const [port] = ports;
  port?.postMessage({ kind: "pressed" });
  await waitFor(() => expect(document.activeElement).toBe(frame));
  field.remove();
});

test("what a frame says beside its channel is not read once it has one", async () => {
  const frame = show("x", "beside");
  const ports: MessagePort[] = [];
  vi.spyOn(frame.contentWindow ?? window, "postMessage").mockImplementation((...[, , given]: readonly unknown[]) => {
    if (Array.isArray(given)) ports.push(...given);
  });
  say(frame.contentWindow, { kind: "ready" });
  ports[0]?.postMessage({ kind: "ready" });
  ports[0]?.postMessage({ kind: "height", height: 321 });
  await waitFor(() => expect(heightOf(frame)).toBe("321px"));
  const message = new MessageEvent("message", { source: frame.contentWindow });
  const read = vi.fn(() => ({ kind: "height", height: 99 }));
  Object.defineProperty(message, "data", { get: read });
  act(() => void fireEvent(window, message));
  expect(read).not.toHaveBeenCalled();
});

test("a frame that takes the focus again and again is stopped", () => {
  const frame = show();
  const field = document.createElement("input");
  document.body.append(field);
  for (let i = 0; i < 3; i++) {
    field.focus();
    fireEvent.keyDown(field, { key: "a" });
    frame.focus();
    fireEvent.blur(window);
  }
  expect(screen.getByRole("note").textContent).toContain("took the keyboard");
  expect(document.activeElement).toBe(field);
  field.remove();
});

test("a link says its whole address, with no sign of it as another", () => {
  const frame = show();
  frame.focus();
  say(frame.contentWindow, { kind: "link", href: "https://аррӏе.example/\u202Emoc?key=SECRET" });
  expect(screen.getByRole("status").querySelector("code")?.textContent).toBe("https://xn--80ak6aa92e.example/%E2%80%AEmoc?key=SECRET");
});
