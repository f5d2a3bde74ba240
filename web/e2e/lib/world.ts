import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch, Person } from "./browser.js";
import { NotebookPage } from "./notebook.js";
import { Server } from "./server.js";

/** World is a server and a browser, for the tests of one file. */
export interface World {
  readonly server: () => Server;
  readonly browser: () => Browser;
  /** Signs somebody in. At the end of the test none of their pages may have had an error that they did not show. */
  readonly person: (options?: Parameters<typeof Person.signIn>[2]) => Promise<Person>;
  /** Makes a notebook of code cells and returns its id. */
  readonly notebook: (...sources: string[]) => Promise<string>;
  /** Opens a notebook in a new tab. */
  readonly open: (person: Person, id: string) => Promise<NotebookPage>;
}

/** Starts a world before the tests of a file and ends it after them. The server has variables of its own. */
export function world(env?: Readonly<Record<string, string>>): World {
  let server: Server;
  let browser: Browser;
  let people: Person[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([Server.start(env), launch()]);
  });
  afterEach(async () => {
    const faults = people.flatMap((person) => person.faults);
    await Promise.all(people.map((person) => person.context.close()));
    people = [];
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.dispose();
  });
  return {
    server: () => server,
    browser: () => browser,
    person: async (options) => {
      const person = await Person.signIn(browser, server, options);
      people.push(person);
      return person;
    },
    notebook: async (...sources) => {
      const id = await server.quire("new", "Test");
      for (const source of sources) await server.quire("add", id, source);
      return id;
    },
    open: async (person, id) => new NotebookPage(await person.open(id)),
  };
}
