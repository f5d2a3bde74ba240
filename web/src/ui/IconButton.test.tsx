import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { IconButton } from "./IconButton.js";

preparePage();

test("a button with a picture has a name, and says its shortcut and whether it is on", () => {
  render(<IconButton label="Bold" shortcut="Ctrl+B" icon="B" pressed />);
  const button = screen.getByRole("button", { name: "Bold", pressed: true });
  expect(button.getAttribute("aria-description")).toBe("Ctrl+B");
});

test("the keyboard's focus shows the tooltip at once, and Escape hides it", async () => {
  const user = userEvent.setup();
  render(<IconButton label="Bold" shortcut="Ctrl+B" icon="b" />);
  await user.tab();
  expect(await screen.findByText("Bold")).toBeTruthy();
  expect(screen.getByText("Ctrl+B")).toBeTruthy();
  await user.keyboard("{Escape}");
  expect(screen.queryByText("Bold")).toBeNull();
});

test("a pointer that rests on it shows the tooltip, and one that presses or leaves hides it", async () => {
  const user = userEvent.setup();
  render(<IconButton label="Bold" icon="b" />);
  const button = screen.getByRole("button");
  await user.hover(button);
  expect(await screen.findByText("Bold")).toBeTruthy();
  await user.unhover(button);
  expect(screen.queryByText("Bold")).toBeNull();
  await user.hover(button);
  expect(await screen.findByText("Bold")).toBeTruthy();
  await user.pointer({ target: button, keys: "[MouseLeft>]" });
  expect(screen.queryByText("Bold")).toBeNull();
});

test("it does what any button does", async () => {
  const user = userEvent.setup();
  const done: string[] = [];
  render(<IconButton label="Go" icon="g" onClick={() => done.push("click")} onFocus={() => done.push("focus")} onBlur={() => done.push("blur")} />);
  await user.tab();
  await user.keyboard(" {Enter}");
  await user.tab();
  expect(done).toEqual(["focus", "click", "click", "blur"]);
});
