import { readFileSync } from "node:fs";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { currentTheme, setTheme, useThemeOfOtherTabs } from "./theme.js";
import { ThemeMenu } from "./ThemeMenu.js";

preparePage();
beforeEach(() => {
  localStorage.clear();
  setTheme("system");
});

/** Runs the script that runs before the first paint. */
function beforePaint(): void {
  delete document.documentElement.dataset["theme"];
  new Function(readFileSync("public/theme.js", "utf8"))();
}

test("a theme is chosen from a menu, and is there again when the page is loaded", async () => {
  const user = userEvent.setup();
  render(<ThemeMenu />);
  await user.click(screen.getByRole("button", { name: "Theme" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Theme: Dark" }));
  expect(currentTheme()).toBe("dark");
  beforePaint();
  expect(currentTheme()).toBe("dark");
});

test("the system's theme is nothing to remember", () => {
  setTheme("dark");
  setTheme("system");
  beforePaint();
  expect(currentTheme()).toBe("system");
});

test("what is stored wrongly is the system's theme", () => {
  localStorage.setItem("quire.theme", "<b>");
  beforePaint();
  expect(currentTheme()).toBe("system");
});

test("a choice in another tab is taken over", () => {
  function Follower() {
    useThemeOfOtherTabs();
    return null;
  }
  render(<Follower />);
  act(() => void window.dispatchEvent(new StorageEvent("storage", { key: "quire.theme", newValue: "light" })));
  expect(currentTheme()).toBe("light");
});
