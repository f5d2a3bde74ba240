import { test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

test("deleted cells are restored by keys and by the toast", async () => {
  const id = await notebook("one", "two");
  const ada = await user();
  const hers = await open(ada, id);
  for (const back of ["z", "Control+z", "toast"]) {
    await hers.editor(1).click();
    await hers.page.keyboard.press("Escape");
    await hers.page.keyboard.press("Control+a");
    await hers.page.keyboard.press("d");
    await hers.page.keyboard.press("d");
    await hers.page.getByRole("textbox", { name: "First cell" }).waitFor();
    await hers.page.getByText("2 cells deleted.").first().waitFor();
    if (back === "toast") await hers.page.getByRole("button", { name: "Undo" }).click();
    else await hers.page.keyboard.press(back);
    await eventually(
      () => hers.count().catch(() => 0),
      (n) => n === 2,
      `${back} brings them back`,
    );
    await eventually(
      async () => (await hers.sources()).join(" "),
      (text) => text === "one two",
      "the sources are restored",
    );
  }
});

test("undo of a text taller than the window scrolls to its cell, with no empty space above", async () => {
  const id = await notebook("one", "two");
  const hers = await open(await user(), id);
  await hers.editor(1).click();
  const top = (): Promise<number> => hers.cell(1).evaluate((cell) => cell.getBoundingClientRect().top);
  const before = await top();
  await hers.editor(1).evaluate((editor) => {
    const data = new DataTransfer();
    data.setData("text/plain", Array.from({ length: 2000 }, (_, i) => `line ${i}`).join("\n"));
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await eventually(top, (at) => at < -10_000, "the view has scrolled to the end of the pasted text");
  await hers.page.keyboard.press("Control+z");
  await eventually(
    () => hers.source(1),
    (text) => text === "one",
    "the paste is undone",
  );
  await eventually(top, (at) => at > before - 40 && at < before + 1, "the cell is at its former place");
});

test("cleared outputs are restored with their counts", async () => {
  const id = await notebook("print('ke' + 'pt')", "1 / 0");
  await server()
    .quire("exec", id, "--all")
    .catch(() => undefined);
  const ada = await user();
  const hers = await open(ada, id);
  await hers.shows(1, "kept");
  await hers.page.getByRole("button", { name: "1 failed" }).waitFor();
  await hers.page.getByRole("button", { name: "More", exact: true }).click();
  await hers.page.getByRole("menuitem", { name: "Clear all outputs" }).click();
  await eventually(
    () => hers.cell(1).innerText(),
    (text) => !text.includes("kept") && text.includes("[ ]"),
    "the outputs and the count are cleared",
  );
  await hers.page.getByRole("button", { name: "1 failed" }).waitFor({ state: "detached" });
  await hers.page.getByRole("button", { name: "Undo" }).click();
  await hers.shows(1, "kept");
  await hers.shows(1, "[1]");
  await hers.shows(2, "ZeroDivisionError");
});

test("a failed cell out of sight is reported with a button that scrolls to it", async () => {
  const id = await notebook(...Array.from({ length: 30 }, (_, i) => (i === 25 ? "1 / 0" : `print(${i})`)));
  const ada = await user();
  const hers = await open(ada, id);
  await hers.page.getByRole("button", { name: "Run all" }).first().click();
  await hers.page
    .getByText(/Cell 26 failed/)
    .first()
    .waitFor();
  await hers.page.getByRole("button", { name: "Show", exact: true }).click();
  await eventually(
    () => hers.cell(26).isVisible(),
    (yes) => yes,
    "the cell is visible",
  );
  await hers.page.getByRole("button", { name: "1 failed" }).waitFor();
});
