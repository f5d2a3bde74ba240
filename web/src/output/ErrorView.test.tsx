import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Error as Failure } from "../core/event.js";
import { ErrorView } from "./ErrorView.js";
import { JumpContext } from "./jump.js";

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
  expect(jump).toHaveBeenLastCalledWith({ cell: "c1", line: 3 });
  await userEvent.click(screen.getByRole("button", { name: "Cell In[2], line 7" }));
  expect(jump).toHaveBeenLastCalledWith({ count: 2, line: 7 });
});

test("frames that are folded are shown when asked for, and folded again", async () => {
  render(<ErrorView cell="c1" error={error} />);
  expect(screen.queryByText("half(x)", { exact: false })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "1 frame" }));
  expect(screen.getByText("half(x)", { exact: false })).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Fold the frames" }));
  expect(screen.queryByText("half(x)", { exact: false })).toBeNull();
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
