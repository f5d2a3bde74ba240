import { expect, test } from "vitest";
import { importCells } from "./lib/ipynb.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server } = world();

/** A picture of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function shown(page: NotebookPage, n: number): Promise<readonly number[]> {
  return page
    .cell(n)
    .locator("img")
    .evaluateAll((images) => images.map((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)));
}

/** Pastes a picture at the caret with the event that a browser sends. */
async function paste(page: NotebookPage, name: string): Promise<void> {
  await page.editor(1).evaluate(
    (editor, [bytes, file]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(bytes ?? ""), (c) => c.charCodeAt(0))], file ?? "", { type: "image/png" }));
      editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [dot, name],
  );
}

test("attached pictures are imported, pasted, undone and exported", async () => {
  const id = await importCells(server(), [
    { cell_type: "markdown", source: "![dot](attachment:dot%20one.png)", attachments: { "dot one.png": { "image/png": dot } } },
  ]);
  const ada = await user();
  const tab = await ada.page();
  await tab.goto(`${server().url}/nb/${id}`);
  const hers = new NotebookPage(tab);
  await tab.locator("img[alt=dot]").waitFor();
  await eventually(
    () => shown(hers, 1),
    (sizes) => sizes.join() === "1",
    "the picture is loaded",
  );
  await hers.cell(1).focus();
  await tab.keyboard.press("Enter");
  await hers.editor(1).click();
  await tab.keyboard.press("Control+End");
  await tab.keyboard.type(" and ");
  await paste(hers, "pasted.png");
  await eventually(
    () => hers.source(1),
    (text) => text === "![dot](attachment:dot%20one.png) and ![pasted](attachment:pasted.png)",
    "the picture is in the text",
  );
  await tab.keyboard.press("Control+Enter");
  await eventually(
    () => shown(hers, 1),
    (sizes) => sizes.length === 2 && sizes.every((size) => size === 1),
    "both are shown",
  );
  await hers.saved();
  const exported = async (): Promise<object | undefined> => {
    const { cells }: { cells: { attachments: object }[] } = await (await server().fetch(`/api/notebooks/${id}/export?format=ipynb`)).json();
    return cells[0]?.attachments;
  };
  await expect.poll(exported).toEqual({ "dot one.png": { "image/png": dot }, "pasted.png": { "image/png": dot } });
  await hers.cell(1).focus();
  await tab.keyboard.press("z");
  await eventually(
    () => shown(hers, 1),
    (sizes) => sizes.length === 1,
    "undo takes the picture back",
  );
  await expect.poll(async () => Object.keys((await exported()) ?? {})).toEqual(["dot one.png"]);
});
