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

  static async signIn(browser: Browser, server: Server, options: BrowserContextOptions = {}): Promise<Person> {
    const person = new Person(await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options }), server);
    const page = await person.page();
    await page.goto(await server.link());
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
