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
    await eventually(() => this.cell(n).innerText(), (shown) => shown.includes(text), `cell ${n} shows "${text}"`);
  }

  /** Waits until the nth cell says of its run what is wanted, such as "ran in". */
  async says(n: number, state: RegExp): Promise<void> {
    const label = (): Promise<string | null> => this.page.locator(`[data-list] [data-group="cell"]`).nth(n - 1).getAttribute("aria-label");
    await eventually(label, (text) => state.test(text ?? ""), `cell ${n} says ${String(state)}`);
  }

  /** Waits until the page says that all is saved. */
  async saved(): Promise<void> {
    await this.page.getByText(/^Saved at \d+/).first().waitFor();
  }

  async count(): Promise<number> {
    const size = await this.page.locator("[data-cell]").first().getAttribute("aria-setsize");
    return Number(size);
  }
}
