import { type Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch, Person } from "./browser.js";
import { NotebookPage } from "./notebook.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";

/** Cell is a cell of a notebook that a pair opens; one of code if no kind is given. */
export interface Cell {
  readonly source: string;
  readonly kind?: "markdown";
  /** An output of HTML that it has. */
  readonly html?: string;
}

/** Pair is two people with a tab each, for all tests of a file: hers is behind a cable that can be pulled. */
export class Pair {
  readonly server: Server;
  readonly cable: Proxy;
  readonly hers: NotebookPage;
  readonly his: NotebookPage;
  /** Her second window, if a test has opened one. */
  second: NotebookPage | undefined;
  readonly #browser: Browser;
  readonly #people: readonly Person[];

  private constructor(server: Server, cable: Proxy, browser: Browser, people: readonly Person[], pages: readonly [NotebookPage, NotebookPage]) {
    this.server = server;
    this.cable = cable;
    this.#browser = browser;
    this.#people = people;
    [this.hers, this.his] = pages;
  }

  static async start(): Promise<Pair> {
    const [server, browser] = await Promise.all([Server.start(), launch()]);
    const cable = await Proxy.to(new URL(server.url));
    const [ada, bob] = await Promise.all([Person.signIn(browser, server, {}, (address) => cable.through(address)), Person.signIn(browser, server)]);
    const [hers, his] = await Promise.all([ada.page(), bob.page()]);
    return new Pair(server, cable, browser, [ada, bob], [new NotebookPage(hers), new NotebookPage(his)]);
  }

  /** Makes a notebook and opens it for both. */
  async open(cells: readonly Cell[]): Promise<string> {
    const answer = await this.server.fetch("/api/notebooks/import?format=ipynb&title=Test", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fileOf(cells)),
    });
    if (!answer.ok) throw new Error(`import: ${await answer.text()}`);
    const { id }: { id: string } = await answer.json();
    const address = `${this.server.url}/nb/${id}`;
    await Promise.all([this.hers.page.goto(this.cable.through(address)), this.his.page.goto(address)]);
    await Promise.all(
      [this.hers, this.his].map(async (side) => {
        await side.page.locator("[data-cell]").first().waitFor();
        await side.saved();
      }),
    );
    return id;
  }

  /** Opens her notebook in a second window of hers. */
  async openSecond(): Promise<NotebookPage> {
    const [ada] = this.#people;
    if (!ada) throw new Error("there is no person");
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

  /** Returns what the pages said that they should not, once. */
  faults(): readonly string[] {
    return this.#people.flatMap((person) => person.faults.splice(0));
  }

  async end(): Promise<void> {
    await this.#browser.close();
    await this.cable.close();
    await this.server.dispose();
  }
}

/** Starts a pair before the tests of a file, and ends it after them. No test may leave a page with an error that it did not show. */
export function pair(): () => Pair {
  let made: Pair;
  beforeAll(async () => {
    made = await Pair.start();
  });
  afterEach(() => expect(made.faults()).toEqual([]));
  afterAll(() => made.end());
  return () => made;
}

function fileOf(cells: readonly Cell[]): object {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: "python" } },
    cells: cells.map(({ source, kind = "code", html }, i) => ({
      id: `cell${i}`,
      cell_type: kind,
      source,
      metadata: {},
      ...(kind === "code" && {
        execution_count: null,
        outputs: html === undefined ? [] : [{ output_type: "display_data", data: { "text/html": html }, metadata: {} }],
      }),
    })),
  };
}
