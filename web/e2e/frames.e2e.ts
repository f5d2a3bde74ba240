import { expect, test } from "vitest";
import { eventually } from "./notebook.js";
import { world } from "./world.js";

const { person, open, notebook } = world();

const source = `class Rich:
    def _repr_html_(self):
        return "<div style='height: 300px'>tall</div>"
Rich()`;

test("the frame of an output is one file, and a reload moves nothing", async () => {
  const id = await notebook(source, "2", "3");
  const hers = await open(await person(), id);
  const asked: string[] = [];
  hers.page.on("request", (request) => request.frame().parentFrame() && asked.push(new URL(request.url()).pathname));
  await hers.run(1);
  const box = hers.cell(1).locator("div:has(> iframe)");
  const height = (): Promise<number> => box.evaluate((element) => element.clientHeight);
  await eventually(height, (pixels) => pixels > 300, "the frame has its height");
  expect(await box.getAttribute("aria-busy")).toBeNull();
  await hers.page.frameLocator("iframe").getByText("tall").waitFor();
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
