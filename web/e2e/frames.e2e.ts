import { expect, test } from "vitest";
import { eventually, kept } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

const source = `class Rich:
    def _repr_html_(self):
        return "<div style='height: 300px'>tall</div>"
Rich()`;

test("the frame of an output loads one file, and keeps its height over a reload", async () => {
  const id = await notebook(source, "2", "3");
  const hers = await open(await user(), id);
  const asked: string[] = [];
  hers.page.on("request", (request) => request.frame().parentFrame() && asked.push(new URL(request.url()).pathname));
  await hers.run(1);
  const box = hers.cell(1).locator("div:has(> iframe)");
  const height = (): Promise<number> => box.evaluate((element) => element.clientHeight);
  await eventually(height, (pixels) => pixels > 300, "the frame has its height");
  await hers.page.frameLocator("iframe").getByText("tall").waitFor();
  await box.and(hers.page.locator(":not([aria-busy])")).waitFor();
  const before = await height();
  await hers.page.addInitScript(() => {
    if (window.top !== window) return;
    const seen = new Set<number>();
    Reflect.set(window, "heights", seen);
    const look = (): void => {
      const found = document.querySelector("iframe")?.parentElement;
      if (found) seen.add(found.clientHeight);
      requestAnimationFrame(look);
    };
    look();
  });
  await hers.page.reload();
  await hers.page.frameLocator("iframe").getByText("tall").waitFor();
  await box.and(hers.page.locator(":not([aria-busy])")).waitFor();
  const seen = await hers.page.evaluate((): unknown => [...Reflect.get(window, "heights")]);
  expect(seen).toEqual([before]);
  expect(new Set(asked)).toEqual(new Set(["/frame/"]));
});

test("a frame that failed to load without the server loads when the server is back", async () => {
  const id = await notebook(source);
  const hers = await open(await user(), id);
  await hers.run(1);
  await hers.page.frameLocator("iframe").getByText("tall").waitFor();
  await hers.saved();
  await kept(hers.page);
  await server().kill();
  await hers.page.reload();
  await hers.page
    .getByText(/server does not answer/i)
    .first()
    .waitFor();
  await hers.page.locator("iframe").waitFor({ state: "attached" });
  await server().start();
  await hers.page.frameLocator("iframe").getByText("tall").waitFor();
  await hers.page.locator("div:has(> iframe):not([aria-busy])").waitFor();
});
