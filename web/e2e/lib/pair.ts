import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch, User } from "./browser.js";
import { code, displayed, importCells } from "./ipynb.js";
import { NotebookPage } from "./notebook.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";

/** Cell is a cell of a notebook that a pair opens; code by default. */
export interface Cell {
  readonly source: string;
  readonly kind?: "markdown";
  /** An HTML output. */
  readonly html?: string;
}

/** Pair is two users, Ada and Bob, with a tab each for all tests of a file. Ada is behind a proxy. */
export class Pair {
  readonly server: Server;
  readonly proxy: Proxy;
  readonly hers: NotebookPage;
  readonly his: NotebookPage;
  /** Ada's second window, if a test has opened one. */
  second: NotebookPage | undefined;
  readonly #browser: Browser;
  readonly #users: readonly User[];

  private constructor(server: Server, proxy: Proxy, browser: Browser, users: readonly User[], pages: readonly [NotebookPage, NotebookPage]) {
    this.server = server;
    this.proxy = proxy;
    this.#browser = browser;
    this.#users = users;
    [this.hers, this.his] = pages;
  }

  static async start(): Promise<Pair> {
    const [server, browser] = await Promise.all([Server.start(), launch()]);
    const proxy = await Proxy.to(new URL(server.url));
    const ada = await User.signIn(browser, proxy.through(server.url), proxy.through(await server.link()));
    const bob = await User.signIn(browser, server.url, await server.link());
    const [hers, his] = await Promise.all([ada.page(), bob.page()]);
    return new Pair(server, proxy, browser, [ada, bob], [new NotebookPage(hers), new NotebookPage(his)]);
  }

  /** Makes a notebook and opens it for both users. */
  async open(cells: readonly Cell[]): Promise<string> {
    const id = await importCells(this.server, cells.map(cellOf), { metadata: { language_info: { name: "python" } } });
    const address = `${this.server.url}/nb/${id}`;
    await Promise.all([this.hers.page.goto(this.proxy.through(address)), this.his.page.goto(address)]);
    await Promise.all(
      [this.hers, this.his].map(async (side) => {
        await side.page.locator("[data-cell]").first().waitFor();
        await side.saved();
      }),
    );
    return id;
  }

  /** Opens Ada's notebook in a second window of her browser. */
  async openSecond(): Promise<NotebookPage> {
    const [ada] = this.#users;
    if (!ada) throw new Error("there is no user");
    const page = await ada.page();
    await page.goto(this.hers.page.url());
    await page.locator("[data-cell]").first().waitFor();
    this.second = new NotebookPage(page);
    return this.second;
  }

  async closeSecond(): Promise<void> {
    await this.second?.page.close();
    this.second = undefined;
  }

  /** Returns the faults of all pages since the last call. */
  faults(): readonly string[] {
    return this.#users.flatMap((user) => user.faults.splice(0));
  }

  async end(): Promise<void> {
    await this.#browser.close();
    await this.proxy.close();
    await this.server.dispose();
  }
}

/** Starts a pair before the tests of a file, and ends it after them. A test fails if a page had a fault. */
export function pair(): () => Pair {
  let made: Pair;
  beforeAll(async () => {
    made = await Pair.start();
  });
  afterEach(() => expect(made.faults()).toEqual([]));
  afterAll(() => made.end());
  return () => made;
}

function cellOf({ source, kind, html }: Cell): object {
  if (kind === "markdown") return { cell_type: kind, source };
  return html === undefined ? code(source) : displayed("text/html", html, source);
}
