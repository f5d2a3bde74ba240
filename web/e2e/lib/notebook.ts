import { expect } from "vitest";
import type { Locator, Page } from "playwright-core";

/** Waits until f returns what is wanted, for as long as a person would. */
export async function eventually<T>(f: () => Promise<T> | T, want: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await f();
    if (want(value)) return value;
    if (Date.now() > end) expect.fail(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** Waits until this browser has stored a text that was typed and is not sent yet, as it must have when a tab is closed. */
export async function stored(page: Page, text: string): Promise<void> {
  const states = (): Promise<readonly string[]> =>
    page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
        });
      const db = await done(indexedDB.open("quire"));
      const rows: readonly { readonly state: string }[] = await done(db.transaction("replicas").objectStore("replicas").getAll());
      db.close();
      return rows.map(({ state }) => state);
    });
  await eventually(states, (all) => all.some((state) => insertedBy(state).includes(text)), `"${text}" is stored`);
}

/** Returns the text that the edits of a replica's state insert, one after the other. */
function insertedBy(state: string): string {
  const edits = [...state.matchAll(/"edit":(\[(?:"(?:[^"\\]|\\.)*"|[^\]])*\])/g)];
  return edits
    .flatMap(([, edit = "[]"]) => JSON.parse(edit) as unknown[])
    .filter((part) => typeof part === "string")
    .join("");
}

/** Waits until the browser keeps the page, for when the server is away. */
export async function kept(page: Page): Promise<void> {
  const there = (): Promise<boolean> => page.evaluate(async () => navigator.serviceWorker.controller !== null && (await caches.match("/shell")) !== undefined);
  await eventually(there, (yes) => yes, "the page is kept");
}

/** NotebookPage is a notebook in a tab, as a person finds their way in it. */
export class NotebookPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The nth cell, counted from 1. */
  cell(n: number): Locator {
    return this.page.getByRole("group", { name: new RegExp(`^Cell ${n},`) });
  }

  /** The text of the nth cell, to type in. */
  editor(n: number): Locator {
    return this.page.getByRole("textbox", { name: new RegExp(`of cell ${n}$`) });
  }

  /** What is written in the nth cell's editor, without the carets of others. */
  source(n: number): Promise<string> {
    return this.editor(n).evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".cm-line")];
      const texts = lines.map((line) => {
        const copy = line.cloneNode(true);
        if (!(copy instanceof Element)) return "";
        for (const caret of copy.querySelectorAll(".cm-peerCaret, .cm-placeholder")) caret.remove();
        return copy.textContent;
      });
      return texts.join("\n");
    });
  }

  /** What is written in all editors that are shown, from above, at one moment. */
  sources(): Promise<readonly string[]> {
    return this.page.locator(".cm-content").evaluateAll((editors) =>
      editors.map((editor) => {
        const lines = [...editor.querySelectorAll(".cm-line")].map((line) => {
          const copy = line.cloneNode(true);
          if (!(copy instanceof Element)) return "";
          for (const caret of copy.querySelectorAll(".cm-peerCaret, .cm-placeholder")) caret.remove();
          return copy.textContent;
        });
        return lines.join("\n");
      }),
    );
  }

  async type(n: number, text: string): Promise<void> {
    await this.editor(n).click();
    await this.page.keyboard.type(text);
  }

  async run(n: number): Promise<void> {
    await this.editor(n).click();
    await this.page.keyboard.press("Control+Enter");
  }

  /** Waits until the nth cell shows a text. */
  async shows(n: number, text: string): Promise<void> {
    await eventually(
      () => this.cell(n).innerText(),
      (shown) => shown.includes(text),
      `cell ${n} shows "${text}"`,
    );
  }

  /** Waits until the nth cell says of its run what is wanted, such as "ran in". */
  async says(n: number, state: RegExp): Promise<void> {
    const label = (): Promise<string | null> =>
      this.page
        .locator(`[data-list] [data-group="cell"]`)
        .nth(n - 1)
        .getAttribute("aria-label");
    await eventually(label, (text) => state.test(text ?? ""), `cell ${n} says ${String(state)}`);
  }

  /** Waits until the page says that all is saved. */
  async saved(): Promise<void> {
    await this.page.getByText("Saved", { exact: true }).first().waitFor();
  }

  async count(): Promise<number> {
    const size = await this.page.locator("[data-cell]").first().getAttribute("aria-setsize");
    return Number(size);
  }
}
