import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { world } from "./lib/world.js";

const { user, browser, server, notebook } = world();

/** Collects the warnings and errors of a page's console. */
function listen(page: Page): string[] {
  const said: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning" || message.type() === "error") said.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(String(error)));
  return said;
}

test("no page writes a warning or an error to the console", async () => {
  const id = await notebook("1 + 1");
  const anonymous = await browser().newContext();
  const signInPage = await anonymous.newPage();
  const said = listen(signInPage);
  await signInPage.goto(server().url);
  await signInPage.getByRole("button", { name: "Sign in" }).waitFor();
  await settled();
  await anonymous.close();
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

/** Waits until the browser has reported preloaded files that were not used. */
function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, 6_000));
}
