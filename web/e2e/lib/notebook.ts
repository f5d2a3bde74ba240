import { expect } from "vitest";
import type { Locator, Page } from "playwright-core";

/** Polls f until its value is the wanted one, for 30 seconds at most. */
export async function eventually<T>(f: () => Promise<T> | T, want: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await f();
    if (want(value)) return value;
    if (Date.now() > end) expect.fail(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** Waits until the browser has stored a pending text, so that it survives the end of the tab. */
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

/** Returns the concatenated insertions of all edits in the state of a replica. */
function insertedBy(state: string): string {
  const edits = [...state.matchAll(/"edit":(\[(?:"(?:[^"\\]|\\.)*"|[^\]])*\])/g)];
  return edits
    .flatMap(([, edit = "[]"]) => JSON.parse(edit) as unknown[])
    .filter((part) => typeof part === "string")
    .join("");
}

/** Waits until the service worker has cached the page, which then opens without the server. */
export async function kept(page: Page): Promise<void> {
  const there = (): Promise<boolean> => page.evaluate(async () => navigator.serviceWorker.controller !== null && (await caches.match("/shell")) !== undefined);
  await eventually(there, (yes) => yes, "the page is kept");
}

/** NotebookPage is a notebook in a tab. Cells are found by role and name. */
export class NotebookPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The nth cell, counted from 1. */
  cell(n: number): Locator {
    return this.page.getByRole("group", { name: new RegExp(`^Cell ${n},`) });
  }

  /** The editor of the nth cell. */
  editor(n: number): Locator {
    return this.page.getByRole("textbox", { name: new RegExp(`of cell ${n}$`) });
  }

  /** The text of the nth cell's editor, without the carets of other users. */
  async source(n: number): Promise<string> {
    const [text = ""] = await this.editor(n).evaluate(textsOf);
    return text;
  }

  /** The texts of all mounted editors, from the top, at one moment. */
  sources(): Promise<readonly string[]> {
    return this.page.locator(".cm-content").evaluateAll(textsOf);
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

  /** Waits until the label of the nth cell describes its run, such as "ran in". */
  async says(n: number, state: RegExp): Promise<void> {
    const label = (): Promise<string | null> =>
      this.page
        .locator(`[data-list] [data-group="cell"]`)
        .nth(n - 1)
        .getAttribute("aria-label");
    await eventually(label, (text) => state.test(text ?? ""), `cell ${n} says ${String(state)}`);
  }

  /** Waits until the page shows that everything is saved. */
  async saved(): Promise<void> {
    await this.page.getByText("Saved", { exact: true }).first().waitFor();
  }

  async count(): Promise<number> {
    const size = await this.page.locator("[data-cell]").first().getAttribute("aria-setsize");
    return Number(size);
  }
}

/** Returns the text of each editor or field, without the carets of other users. It runs in the page and refers to nothing outside. */
export function textsOf(found: Element | readonly Element[]): readonly string[] {
  const elements = found instanceof Element ? [found] : found;
  return elements.map((element) => {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
    const lines = [...element.querySelectorAll(".cm-line")].map((line) => {
      const copy = line.cloneNode(true);
      if (!(copy instanceof Element)) return "";
      for (const caret of copy.querySelectorAll(".cm-peerCaret, .cm-placeholder")) caret.remove();
      return copy.textContent;
    });
    return lines.join("\n");
  });
}
