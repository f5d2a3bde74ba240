import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { eventually } from "./notebook.js";
import { Proxy } from "./proxy.js";
import { world } from "./world.js";

const { person, open, notebook, server, browser } = world();

/** A program that shows a picture which is too large for the log: noise does not pack. */
const picture = `import os, struct, zlib
def part(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
class Noise:
    def _repr_png_(self):
        rows = b"".join(b"\\0" + os.urandom(600 * 3) for _ in range(500))
        return b"\\x89PNG\\r\\n\\x1a\\n" + part(b"IHDR", struct.pack(">IIBBBBB", 600, 500, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows, 1)) + part(b"IEND", b"")
    def __repr__(self):
        return "<Noise>"
Noise()`;

/** How wide the picture is that an image shows, 0 if none. */
function width(element: Element): number {
  return element instanceof HTMLImageElement ? element.naturalWidth : 0;
}

test("a picture that is too large for the notebook's log is shown all the same", async () => {
  const id = await notebook(picture);
  const ada = await person();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  const image = hers.cell(1).getByRole("img", { name: "<Noise>" });
  await image.waitFor();
  expect(await image.getAttribute("src")).toContain(`/api/notebooks/${id}/artifacts/`);
  await eventually(() => image.evaluate(width), (pixels) => pixels === 600, "it is loaded");
});

test("of what a program printed the page has all, when somebody wants it", async () => {
  const id = await notebook("for i in range(300_000):\n    print('line', i, 'of very many')");
  const ada = await person();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  const line = hers.cell(1).getByRole("group", { name: "Stored apart: text/plain" });
  await line.getByText(/^This text has [\d.]+ MB, of which the end is shown\.$/).waitFor();
  const downloading = hers.page.waitForEvent("download");
  await line.getByRole("link", { name: "Download" }).click();
  expect((await downloading).suggestedFilename()).toBe("output.txt");
  await line.getByRole("button", { name: "Load all" }).click();
  await line.getByText(/^All [\d.]+ MB are shown\.$/).waitFor();
  const log = hers.cell(1).getByRole("group", { name: "Printed output" }).last();
  await log.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await eventually(() => log.innerText(), (text) => text.includes("line 299999 of very many"), "the last line");
  await log.evaluate((box) => box.scrollTo(0, 0));
  await eventually(() => log.innerText(), (text) => !text.includes("line 299999") && /line \d{5} of very many/.test(text), "and the first ones");
});

test("what is stored apart is there after a reload, for who may read the notebook and for nobody else", async () => {
  const id = await notebook(picture);
  const other = await notebook();
  const ada = await person();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  const cable = await Proxy.to(new URL(server().url));
  const as = async (token: string | undefined): Promise<Page> => {
    cable.token = token;
    const guest = await browser().newContext();
    closing.push(() => guest.close());
    return guest.newPage();
  };
  const closing: (() => Promise<void>)[] = [() => cable.close()];
  const tokenFor = (notebook: string): Promise<string> => server().quire("token", "--notebook", notebook, "--name", "bob", "--role", "viewer");

  await hers.page.reload();
  const image = hers.cell(1).getByRole("img", { name: "<Noise>" });
  await eventually(() => image.evaluate(width), (pixels) => pixels === 600, "it is loaded again");
  const address = new URL((await image.getAttribute("src")) ?? "", server().url);

  const viewer = await as(await tokenFor(id));
  await viewer.goto(cable.through(`${server().url}/nb/${id}`));
  await eventually(() => viewer.getByRole("img", { name: "<Noise>" }).evaluate(width), (pixels) => pixels === 600, "a viewer sees it");

  for (const [who, token] of [["nobody", undefined], ["a viewer of another notebook", await tokenFor(other)]] as const) {
    const page = await as(token);
    const answer = await page.goto(cable.through(address.href));
    expect([401, 403, 404], who).toContain(answer?.status());
    expect(answer?.headers()["content-type"], who).toContain("application/problem+json");
  }
  for (const close of closing) await close();
});
