import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { Button } from "./Button.js";
import { Dialog } from "./Dialog.js";

preparePage();

function Example() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      <Dialog title="Really?" open={open} onClose={() => setOpen(false)} actions={<Button kind="danger">Do it</Button>}>
        It cannot be undone.
      </Dialog>
    </>
  );
}

test("a dialog takes the focus, keeps it, and gives it back on Escape", async () => {
  const user = userEvent.setup();
  render(<Example />);
  await user.tab();
  await user.keyboard("{Enter}");
  const dialog = screen.getByRole("dialog", { name: "Really?" });
  for (let i = 0; i < 4; i++) {
    await user.tab();
    expect(dialog.contains(document.activeElement)).toBe(true);
  }
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Ask" })));
});

test("what a dialog says has the focus first, so that the keys scroll it and no tooltip covers it", async () => {
  const user = userEvent.setup();
  render(<Example />);
  await user.tab();
  await user.keyboard("{Enter}");
  expect(document.activeElement?.textContent).toBe("It cannot be undone.");
  expect(screen.queryByRole("tooltip")).toBeNull();
});

test("a dialog has a button that closes it", async () => {
  const user = userEvent.setup();
  render(<Example />);
  await user.click(screen.getByRole("button", { name: "Ask" }));
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});
