import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook, server, browser, startProxy } = world();

/** A program that shows a picture too large for the log, since noise does not compress. */
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

/** Returns the width of the loaded picture, 0 before it is loaded. */
function width(element: Element): number {
  return element instanceof HTMLImageElement ? element.naturalWidth : 0;
}

test("a picture too large for the log is stored as an artifact and shown", async () => {
  const id = await notebook(picture);
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  const image = hers.cell(1).getByRole("img", { name: "<Noise>" });
  await image.waitFor();
  await eventually(
    () => image.getAttribute("src"),
    (src) => src?.startsWith("blob:") === true,
    "the page has fetched the picture",
  );
  await eventually(
    () => image.evaluate(width),
    (pixels) => pixels === 600,
    "the picture is loaded",
  );
});

test("the whole of a large printed output can be loaded into its box", async () => {
  const id = await notebook("for i in range(100_000):\n    print('line', i, 'of very many')");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  for (const again of [false, true]) {
    if (again) await hers.page.reload();
    const line = hers.cell(1).getByRole("group", { name: "Stored apart: text/plain" });
    await line.getByText(/^This text has [\d.]+ MB, of which a part is shown\.$/).waitFor();
    const log = hers.cell(1).getByRole("group", { name: "Printed output" });
    expect(await log.count()).toBe(1);
    for (const name of ["Show more", "Load all", "Copy output", "Find in output", "Download output"]) {
      expect(await hers.cell(1).getByRole("button", { name }).count(), name).toBe(1);
    }
    await log.evaluate((box) => box.scrollTo(0, 0));
    await eventually(
      () => log.innerText(),
      (text) => /^line 0 of very many\n+line 1 of/.test(text),
      "the first lines",
    );
    const [height, lineHeight] = await log.evaluate((box) => [box.clientHeight, Number.parseFloat(getComputedStyle(box).lineHeight)] as const);
    expect(Math.abs(height / lineHeight - Math.round(height / lineHeight))).toBeLessThan(0.1);
    await hers.cell(1).hover();
    const downloading = hers.page.waitForEvent("download");
    await hers.cell(1).getByRole("button", { name: "Download output" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("output.txt");
    const { readFile } = await import("node:fs/promises");
    expect(await readFile(await download.path(), "utf8")).toBe(Array.from({ length: 100_000 }, (_, i) => `line ${i} of very many\n`).join(""));
    await line.getByRole("button", { name: "Load all" }).click();
    await line.getByText(/^All [\d.]+ MB are shown\.$/).waitFor();
    await log.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await eventually(
      () => log.innerText(),
      (text) => text.trimEnd().endsWith("line 99999 of very many"),
      "the last line",
    );
    await log.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    await eventually(
      () => log.innerText(),
      (text) => /line (49|50)\d{3} of very many/.test(text) && !text.includes("left out"),
      "and those between",
    );
    expect(await hers.cell(1).locator("*").count()).toBeLessThan(2_000);
  }
});

test("an artifact can be read after a reload by readers of the notebook only", async () => {
  const id = await notebook(picture);
  const other = await notebook();
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  const proxy = await startProxy();
  const as = async (token: string | undefined): Promise<Page> => {
    proxy.token = token;
    const guest = await browser().newContext();
    closing.push(() => guest.close());
    return guest.newPage();
  };
  const closing: (() => Promise<void>)[] = [];
  const tokenFor = (notebook: string): Promise<string> => server().quire("token", "--notebook", notebook, "--name", "bob", "--role", "viewer");

  const asked = hers.page.waitForRequest((request) => /\/artifacts\/[^/]+$/.test(new URL(request.url()).pathname));
  await hers.page.reload();
  const image = hers.cell(1).getByRole("img", { name: "<Noise>" });
  await eventually(
    () => image.evaluate(width),
    (pixels) => pixels === 600,
    "the picture is loaded after the reload",
  );
  const address = new URL((await asked).url());

  const viewer = await as(await tokenFor(id));
  await viewer.goto(proxy.through(`${server().url}/nb/${id}`));
  await eventually(
    () => viewer.getByRole("img", { name: "<Noise>" }).evaluate(width),
    (pixels) => pixels === 600,
    "a viewer's page loads the picture",
  );

  for (const [access, token] of [
    ["without a sign-in", undefined],
    ["a viewer of another notebook", await tokenFor(other)],
  ] as const) {
    const page = await as(token);
    const answer = await page.goto(proxy.through(server().url + address.pathname + address.search));
    expect([401, 403, 404], access).toContain(answer?.status());
    expect(answer?.headers()["content-type"], access).toContain("application/problem+json");
  }
  for (const close of closing) await close();
});
