// @vitest-environment node
import { expect, test } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import { attach, mostBytes, mostOfCell, picturesOf } from "./attachments.js";
import { UIState } from "./uiState.js";

function open(source: string) {
  const client = new MemoryClient([{ kind: "markdown", source }]);
  const page = { client, ui: new UIState(() => ["c1"]) };
  const row = () => client.store.cell("c1");
  return { client, page, row, source: () => client.store.text("c1")?.source };
}

const picture = (name = "plot.png", text = "bytes", type = "image/png"): File => new File([text], name, { type });

test("a picture of a Jupyter file is known by its name", () => {
  const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  const attachments = { "a b.png": { "image/png": ["aGVs\n", "bG8="] }, "v.svg": { "image/svg+xml": svg }, "t.txt": { "text/plain": "no" } };
  expect(picturesOf({ ipynb: { attachments } })).toEqual(
    new Map([
      ["a b.png", "data:image/png;base64,aGVsbG8="],
      ["v.svg", `data:image/svg+xml,${encodeURIComponent(svg)}`],
    ]),
  );
  for (const metadata of [undefined, {}, { ipynb: 7 }, { ipynb: { attachments: [] } }, { ipynb: { attachments: { x: null, y: { "image/png": 7 } } } }]) {
    expect(picturesOf(metadata)).toEqual(new Map());
  }
});

test("a picture is put into the cell and shown at its place, beside what a file had", async () => {
  const { client, page, row, source } = open("before after");
  await client.command({ kind: "setMetadata", cell: "c1", key: "ipynb", value: { keys: { x: 1 } } });
  await attach(page, "c1", [picture(), picture("Résumé of 2026 (1).png")], 7);
  expect(source()).toBe("before ![plot](attachment:plot.png)![Résumé-of-2026-1-](attachment:Résumé-of-2026-1-.png)after");
  expect(row()?.metadata?.["ipynb"]).toEqual({
    keys: { x: 1 },
    attachments: { "plot.png": { "image/png": btoa("bytes") }, "Résumé-of-2026-1-.png": { "image/png": btoa("bytes") } },
  });
  expect([...picturesOf(row()?.metadata).keys()]).toEqual(["plot.png", "Résumé-of-2026-1-.png"]);
});

test("a second picture of a name gets another name", async () => {
  const { page, source } = open("");
  await attach(page, "c1", [picture("image.png"), picture("image.png", "other"), picture("..")], 0);
  expect(source()).toBe("![image](attachment:image.png)![image-2](attachment:image-2.png)![picture](attachment:picture)");
});

test("what is too large or no picture is refused in words, and nothing is changed", async () => {
  const { page, row, source } = open("text");
  const large = picture("large.png", "x".repeat(mostBytes + 1));
  await expect(attach(page, "c1", [large], 0)).rejects.toThrow("large.png has 4.00 MB, and a picture in text may have 4.00 MB at most: make it smaller first");
  await expect(attach(page, "c1", [picture("a.pdf", "x", "application/pdf")], 0)).rejects.toThrow("a.pdf is no picture");
  expect(source()).toBe("text");
  expect(row()?.metadata).toBeUndefined();
});

test("a cell has no more pictures than fit into a notebook", async () => {
  const { page, source } = open("");
  const half = "x".repeat(mostOfCell / 2 - 1000);
  await attach(page, "c1", [picture("a.png", half), picture("b.png", half)], 0);
  await expect(attach(page, "c1", [picture("c.png", half)], 0)).rejects.toThrow("put c.png into another cell");
  expect(source()).toBe("![a](attachment:a.png)![b](attachment:b.png)");
});
