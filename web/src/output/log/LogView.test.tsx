import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Log } from "../../core/log.js";
import { LogView } from "./LogView.js";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function view(log: Log, revision: number, searching = false, live = false) {
  return <LogView log={log} live={live} revision={revision} label="Printed output" size="capped" searching={searching} onSearchEnd={() => undefined} />;
}

function shown(): readonly string[] {
  return (screen.getByRole("group", { name: "Printed output" }).textContent ?? "").split("\n");
}

test("a short log is there whole", () => {
  render(view(new Log("one\n\x1b[31mtwo\x1b[0m\n50%\r100%\n"), 1));
  expect(shown()).toEqual(["one", "two", "100%", ""]);
});

test("a plain line is a text, and one with a style, an address or a match has elements", () => {
  render(view(new Log("plain\n\x1b[1mbold\x1b[0m\nsee http://a.test/b\n"), 1));
  const lines = [...screen.getByRole("group", { name: "Printed output" }).children];
  expect(lines.map((line) => line.childElementCount)).toEqual([0, 1, 2]);
  expect(screen.getByRole("link").textContent).toBe("http://a.test/b");
});

test("of a long log only what is seen is there, however long it gets", () => {
  class Counting extends Log {
    asked = 0;
    override line(index: number): string {
      this.asked++;
      return super.line(index);
    }
  }
  const log = new Counting("a line\n".repeat(100_000));
  const { rerender } = render(view(log, 1));
  expect(shown().length).toBeLessThan(100);
  log.asked = 0;
  for (let revision = 2; revision < 32; revision++) {
    log.append(0, "another line\n".repeat(3000));
    rerender(view(log, revision));
  }
  expect(log.shown).toBe(190_000);
  expect(shown().length).toBeLessThan(100);
  expect(log.asked).toBeLessThan(30 * 1000);
});

test("lines that come to a box which is at its end are rendered once", () => {
  class Counting extends Log {
    asked: number[] = [];
    override line(index: number): string {
      this.asked.push(index);
      return super.line(index);
    }
  }
  const log = new Counting("a\n".repeat(300));
  let scrollTop = 0;
  vi.spyOn(Element.prototype, "scrollHeight", "get").mockImplementation(() => log.shown * 20);
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(Element.prototype, "scrollTop", "get").mockImplementation(() => scrollTop);
  vi.spyOn(Element.prototype, "scrollTop", "set").mockImplementation((to) => void (scrollTop = Math.min(to, log.shown * 20 - 400)));
  const { rerender } = render(view(log, 1, false, true));
  for (let revision = 2; revision < 10; revision++) {
    log.append(0, "b\n".repeat(1000));
    log.asked = [];
    rerender(view(log, revision, false, true));
    expect(log.asked.filter((index) => index === log.shown - 1)).toHaveLength(1);
    expect(scrollTop).toBe(log.shown * 20 - 400);
  }
});

test("text is found, counted and walked through", async () => {
  const user = userEvent.setup();
  render(view(new Log("one\ntwo\nOne more"), 1, true));
  const input = screen.getByRole("textbox", { name: "Find" });
  expect(document.activeElement).toBe(input);
  await user.keyboard("one");
  expect((await screen.findByText("1 of 2")).getAttribute("role")).toBe("status");
  const marks = () => [...document.querySelectorAll("mark")].map((mark) => mark.textContent);
  expect(marks()).toEqual(["one", "One"]);
  await user.keyboard("{Enter}");
  expect(screen.getByText("2 of 2")).toBeDefined();
  await user.keyboard("{Enter}{Shift>}{Enter}{/Shift}");
  expect(screen.getByText("2 of 2")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Match case" }));
  expect(await screen.findByText("1 of 1")).toBeDefined();
  await user.type(input, "(");
  expect(await screen.findByText("No matches in this output")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Regular expression" }));
  expect(await screen.findByText(/^Not a regular expression: /)).toBeDefined();
  expect(input.getAttribute("aria-invalid")).toBe("true");
});

test("the end stays in view while it grows, until the reader scrolls up", async () => {
  const log = new Log("a\n".repeat(300));
  let scrollTop = 0;
  const size = vi.spyOn(Element.prototype, "scrollHeight", "get").mockImplementation(() => log.shown * 20);
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(Element.prototype, "scrollTop", "get").mockImplementation(() => scrollTop);
  vi.spyOn(Element.prototype, "scrollTop", "set").mockImplementation((to) => void (scrollTop = Math.min(to, log.shown * 20 - 400)));
  const { rerender } = render(view(log, 1));
  const box = screen.getByRole("group", { name: "Printed output" });
  const grow = (revision: number) => (log.append(0, "b\n".repeat(100)), rerender(view(log, revision)));
  const scroll = (to: number) => ((scrollTop = to), fireEvent.scroll(box));

  grow(2);
  expect(scrollTop).toBe(0); // it was tall at first, and is read from its start
  await userEvent.click(screen.getByRole("button", { name: "Follow" }));
  expect(scrollTop).toBe(7600);
  grow(3);
  expect(scrollTop).toBe(9600);
  scroll(9000);
  grow(4);
  expect(scrollTop).toBe(9000);
  scroll(11_600);
  grow(5);
  expect(scrollTop).toBe(13_600);
  size.mockReturnValue(14_250); // the lines turn out to be taller
  fireEvent.scroll(box);
  size.mockImplementation(() => log.shown * 20);
  grow(6);
  expect(scrollTop).toBe(15_600);
  expect(screen.queryByRole("button", { name: "Follow" })).toBeNull();
  cleanup();
  scrollTop = 0;
  render(view(log, 1, false, true));
  expect(scrollTop).toBe(15_600); // a running program's output is followed
});
