import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Server } from "./server.js";

/** Starts Chromium as it runs in a container without a display, a network or a GPU. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Else Chromium itself would keep what tests send to a listener on this machine from arriving.
      "--disable-features=LocalNetworkAccessChecks",
    ],
  });
}

/** Uses a link, and waits until the page is there that it leads to. */
export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#root > *").first().waitFor({ state: "attached" });
}

/** Person is a browser profile of its own, signed in to a server. */
export class Person {
  readonly context: BrowserContext;
  readonly #server: Server;
  /** What pages said that they should not: uncaught errors, and what their policy kept from happening. */
  readonly faults: string[] = [];

  private constructor(context: BrowserContext, server: Server) {
    this.context = context;
    this.#server = server;
  }

  /** Signs a new person in, at the server's address or at another one that leads there. */
  static async signIn(browser: Browser, server: Server, options: BrowserContextOptions = {}, through = (address: string): string => address): Promise<Person> {
    const person = new Person(await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options }), server);
    const page = await person.page();
    await signIn(page, through(await server.link()));
    await page.close();
    return person;
  }

  /** Opens a tab. */
  async page(): Promise<Page> {
    const page = await this.context.newPage();
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && /Content Security Policy|Uncaught/.test(message.text())) this.faults.push(message.text());
    });
    return page;
  }

  /** Opens a tab with a notebook, and waits until its first cell can be edited. */
  async open(notebook: string): Promise<Page> {
    const page = await this.page();
    await page.goto(`${this.#server.url}/nb/${notebook}`);
    await page.locator('[contenteditable="true"]').first().waitFor();
    return page;
  }
}
