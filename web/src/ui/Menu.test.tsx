import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { Button } from "./Button.js";
import { IconButton } from "./IconButton.js";
import { Menu, type MenuItem } from "./Menu.js";

preparePage();

function Example({ onSelect }: { onSelect(label: string): void }) {
  const items: readonly MenuItem[] = [
    { kind: "item", label: "Copy", shortcut: "C", onSelect: () => onSelect("Copy") },
    { kind: "item", label: "Locked", disabled: true, onSelect: () => onSelect("Locked") },
    { kind: "separator" },
    { kind: "item", label: "Wrap", checked: true, onSelect: () => onSelect("Wrap") },
    { kind: "link", label: "Save", href: "/file", download: true },
  ];
  return <Menu label="Things to do" trigger={<IconButton label="More" icon="…" />} items={items} />;
}

test("a menu is opened, walked and used with the keyboard, and gives the focus back", async () => {
  const user = userEvent.setup();
  const chosen: string[] = [];
  render(<Example onSelect={(label) => chosen.push(label)} />);
  await user.tab();
  await user.keyboard("{Enter}");
  expect(screen.getByRole("menu", { name: "Things to do" })).toBeTruthy();
  await user.keyboard("{ArrowDown}{Enter}");
  expect(chosen).toEqual(["Wrap"]); // disabled items are skipped
  expect(screen.queryByRole("menu")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "More" })));
});

test("Escape closes a menu and chooses nothing", async () => {
  const user = userEvent.setup();
  const chosen: string[] = [];
  render(<Example onSelect={(label) => chosen.push(label)} />);
  await user.click(screen.getByRole("button", { name: "More" }));
  await user.keyboard("{ArrowDown}{Escape}");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(chosen).toEqual([]);
});

test("rows say what they are", async () => {
  const user = userEvent.setup();
  render(<Example onSelect={() => undefined} />);
  await user.click(screen.getByRole("button", { name: "More" }));
  expect(screen.getByRole("menuitemcheckbox", { name: "Wrap" }).getAttribute("aria-checked")).toBe("true");
  expect(screen.getByRole("menuitem", { name: "Locked" }).getAttribute("aria-disabled")).toBe("true");
  const link = screen.getByRole("menuitem", { name: "Save" });
  expect([link.tagName, link.getAttribute("href"), link.hasAttribute("download")]).toEqual(["A", "/file", true]);
  expect(screen.getByRole("separator")).toBeTruthy();
});

test("the focus stays where a choice has put it", async () => {
  const user = userEvent.setup();
  function Renamer() {
    const [open, setOpen] = useState(false);
    const items: readonly MenuItem[] = [{ kind: "item", label: "Rename", onSelect: () => setOpen(true) }];
    return (
      <>
        {open && <input aria-label="Name" autoFocus />}
        <Menu label="Menu" trigger={<Button>Open</Button>} items={items} />
      </>
    );
  }
  render(<Renamer />);
  await user.click(screen.getByRole("button", { name: "Open" }));
  await user.click(screen.getByRole("menuitem", { name: "Rename" }));
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  await new Promise((resolve) => setTimeout(resolve)); // the menu restores the focus a moment later
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Name" }));
});
