import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Error as Failure } from "../../core/event.js";
import { JumpContext } from "../context/jump.js";
import { ErrorView } from "./ErrorView.js";

afterEach(cleanup);

const error: Failure = {
  name: "ZeroDivisionError",
  message: "division by zero",
  line: 3,
  column: 5,
  trace: [
    "Traceback (most recent call last):",
    "  \x1b[32mCell In[4], line 3\x1b[0m",
    "    half(x)",
    "  \x1b[32mCell In[2], line 7\x1b[0m, in half",
    "    return x / 0",
    "\x1b[31mZeroDivisionError: division by zero\x1b[0m",
  ],
};

test("its place and those of its trace lead there", async () => {
  const jump = vi.fn();
  render(
    <JumpContext value={jump}>
      <ErrorView cell="c1" error={error} />
    </JumpContext>,
  );
  await userEvent.click(screen.getByRole("button", { name: "line 3, column 5" }));
  expect(jump).toHaveBeenLastCalledWith({ cell: "c1", line: 3, from: "c1" });
  await userEvent.click(screen.getByRole("button", { name: "Cell In[2], line 7" }));
  expect(jump).toHaveBeenLastCalledWith({ count: 2, line: 7, from: "c1" });
});

test("what is folded is opened by itself, and folded again", async () => {
  const library = (name: string) => [`  File "/usr/lib/python3.11/${name}.py", line 1, in ${name}`, `    ${name}()`];
  const trace = ["Traceback (most recent call last):", ...library("one"), ...library("two"), "  Cell In[2], line 7", "    half(x)", ...library("three")];
  render(<ErrorView cell="c1" error={{ name: "E", message: "", trace }} />);
  expect(screen.getByText("half(x)", { exact: false })).toBeDefined();
  expect(screen.queryByText("two()", { exact: false })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "2 library frames" }));
  expect(screen.getByText("two()", { exact: false })).toBeDefined();
  expect(screen.queryByText("three()", { exact: false })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "2 library frames", expanded: true }));
  expect(screen.queryByText("two()", { exact: false })).toBeNull();
  expect(screen.getByRole("button", { name: "1 library frame", expanded: false })).toBeDefined();
});

test("a run that was stopped has no error, but a line that opens its trace", async () => {
  render(<ErrorView cell="c1" error={{ ...error, name: "KeyboardInterrupt", message: "" }} stopped />);
  expect(screen.queryByRole("group", { name: /Error/ })).toBeNull();
  expect(screen.queryByText("half(x)", { exact: false })).toBeNull();
  expect(screen.getByText("line 3, column 5")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Stopped on request" }));
  expect(screen.getByText("half(x)", { exact: false })).toBeDefined();
  expect(screen.getByText("KeyboardInterrupt")).toBeDefined();
});

test("without anybody to jump, places are text", () => {
  render(<ErrorView cell="c1" error={{ name: "E", message: "", line: 2 }} />);
  expect(screen.getByText("line 2")).toBeDefined();
  expect(screen.queryByRole("button")).toBeNull();
});

test("what the error says is not said again at the end of its trace", () => {
  const { container } = render(<ErrorView cell="c1" error={error} />);
  expect(container.textContent?.match(/division by zero/g)?.length).toBe(1);
  cleanup();
  render(<ErrorView cell="c1" error={{ name: "E", message: "no", trace: ["\x1b[31mE: no\x1b[0m"] }} />);
  expect(screen.queryByText("E: no")).toBeNull();
});

test("nor is one of many lines, one with its module's name, or one with which the trace begins", () => {
  const { container } = render(
    <ErrorView cell="c1" error={{ name: "E", message: "two\nlines", trace: ["Traceback", "\x1b[31mpack.E: two\x1b[0m", "lines"] }} />,
  );
  expect(container.textContent).toBe("E: two\nlinesTraceback\n");
  cleanup();
  const again = render(
    <ErrorView cell="c1" error={{ name: "ERROR", message: "Error in g(x): bad", trace: ["Error in g(x): bad", "Traceback:", "1. f(1)"] }} />,
  );
  expect(again.container.textContent).toBe("ERROR: Error in g(x): badTraceback:\n1. f(1)\n");
});
