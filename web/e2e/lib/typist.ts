import { expect } from "vitest";
import type { Page } from "playwright-core";

/** What is typed: words that are made of the keys of command mode. */
export const words = "dd aa bb xx 00 ii m r y z c v 1 2 3 4 5 6 o l";

/** Seen is what a page noted on each of its frames since it began to be watched. */
export interface Seen {
  /** The farthest that the line of the caret was from where it was at first, in pixels. */
  readonly moved: number;
  /** How often the focus was not where it was at first. */
  readonly lost: number;
  /** In how many frames the line was seen. */
  readonly frames: number;
}

/**
 * Begins to note where the line of the caret is in each frame that is painted. A place is taken by an observer of
 * intersections, to which a new element is told after the layout of the same frame and after what observers of sizes
 * changed, as it is painted: a jump of one frame counts, and what is put back before the paint does not.
 */
export function watch(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const line = (): Element => {
      const node = document.getSelection()?.focusNode;
      const element = node instanceof Element ? node : node?.parentElement;
      const focused = document.activeElement;
      const shown = focused?.closest("[data-editor]") ? element?.closest(".cm-line") : undefined;
      return shown ?? focused ?? document.body;
    };
    const kind = (): string => document.activeElement?.tagName ?? "";
    const what = kind();
    const seen = { moved: 0, lost: 0, frames: 0 };
    Reflect.set(window, "seen", seen);
    let first: number | undefined;
    let began = (): void => {};
    const begun = new Promise<void>((done) => (began = done));
    const note = (entries: readonly IntersectionObserverEntry[]): void => {
      for (const {
        boundingClientRect: { top, height },
      } of entries) {
        if (height === 0) continue; // the element is out of the page since the frame began
        first ??= top;
        seen.frames++;
        seen.moved = Math.max(seen.moved, Math.abs(top - first));
        began();
      }
    };
    const observer = new IntersectionObserver(note);
    const look = (): void => {
      note(observer.takeRecords());
      observer.disconnect();
      if (Reflect.get(window, "seen") !== seen) return;
      if (kind() !== what) seen.lost++;
      else observer.observe(line());
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    await begun;
  });
}

/** Ends it, and returns what was noted. */
export function seen(page: Page): Promise<Seen> {
  return page.evaluate((): Seen => {
    const noted: Seen = Reflect.get(window, "seen");
    Reflect.deleteProperty(window, "seen");
    return noted;
  });
}

/** Fails if the line of the caret moved, or the focus went elsewhere. */
export async function still(page: Page): Promise<void> {
  const { moved, lost, frames } = await seen(page);
  expect(lost, "frames without the focus").toBe(0);
  expect(frames, "frames in which the line was seen").toBeGreaterThan(1);
  expect(moved, "pixels that the line of the caret moved").toBeLessThanOrEqual(20);
}

/** Returns what is written where the focus is: in a cell's source or in a field. */
export function typed(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement) return focused.value;
    const lines = [...(focused?.querySelectorAll(".cm-line") ?? [])].map((line) => {
      const copy = line.cloneNode(true);
      if (!(copy instanceof Element)) return "";
      for (const caret of copy.querySelectorAll(".cm-peerCaret, .cm-placeholder")) caret.remove();
      return copy.textContent;
    });
    return lines.join("\n");
  });
}

/** Types as a person does, a key after the other. */
export async function type(page: Page, text: string, delay = 25): Promise<void> {
  await page.keyboard.type(text, { delay });
}

/** Puts a person on a cell, counted from 1, in command mode. */
export async function at(page: Page, cell: number): Promise<void> {
  await page
    .locator(`[data-group="cell"]`)
    .nth(cell - 1)
    .evaluate((element: HTMLElement) => element.focus({ preventScroll: true }));
}
