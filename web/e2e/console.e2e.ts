import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { world } from "./lib/world.js";

const { user, browser, server, notebook } = world();

/** Gathers what a page says in the console. */
function listen(page: Page): string[] {
  const said: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning" || message.type() === "error") said.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(String(error)));
  return said;
}

test("no page leaves a warning or an error in the console", async () => {
  const id = await notebook("1 + 1");
  const stranger = await browser().newContext();
  const door = await stranger.newPage();
  const said = listen(door);
  await door.goto(server().url);
  await door.getByRole("button", { name: "Sign in" }).waitFor();
  await settled();
  await stranger.close();
  const ada = await user();
  for (const path of ["/", "/?deleted=1", `/nb/${id}`]) {
    const page = await ada.page();
    said.push(...(await look(page, server().url + path)));
    await page.close();
  }
  expect(said).toEqual([]);
});

async function look(page: Page, address: string): Promise<readonly string[]> {
  const said = listen(page);
  await page.goto(address);
  await page.locator("main:not([aria-busy])").first().waitFor();
  await settled();
  return said;
}

/** As long as a browser waits before it says that something was loaded for nothing. */
function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, 6_000));
}
