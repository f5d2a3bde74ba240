import { expect } from "vitest";
import type { Page } from "playwright-core";
import { textsOf } from "./notebook.js";

/** A text to type: each key of it is a command in command mode. */
export const words = "dd aa bb xx 00 ii m r y z c v 1 2 3 4 5 6 o l";

/** Seen is what the observer of a page recorded, frame by frame. */
export interface Seen {
  /** The largest distance of the caret's line from its first place, in pixels. */
  readonly moved: number;
  /** The number of frames in which the focus was elsewhere. */
  readonly lost: number;
  /** The number of frames in which the line was observed. */
  readonly frames: number;
}

/**
 * Begins to record the place of the caret's line in each painted frame. An intersection observer reports a new element
 * after the layout and the resize observers of the same frame: a jump of one frame counts, and one that is corrected
 * before the paint does not.
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

/** Ends the recording and returns it. */
export function seen(page: Page): Promise<Seen> {
  return page.evaluate((): Seen => {
    const noted: Seen = Reflect.get(window, "seen");
    Reflect.deleteProperty(window, "seen");
    return noted;
  });
}

/** Ends the recording, and fails if the caret's line moved or the focus was elsewhere. */
export async function still(page: Page): Promise<void> {
  const { moved, lost, frames } = await seen(page);
  expect(lost, "frames without the focus").toBe(0);
  expect(frames, "frames in which the line was seen").toBeGreaterThan(1);
  expect(moved, "pixels that the line of the caret moved").toBeLessThanOrEqual(20);
}

/** Returns the text of the focused editor or field. */
export async function typed(page: Page): Promise<string> {
  const focused = await page.evaluateHandle(() => document.activeElement ?? document.body);
  const [text = ""] = await focused.evaluate(textsOf);
  return text;
}

/** Types key by key, at the pace of a user. */
export async function type(page: Page, text: string, delay = 25): Promise<void> {
  await page.keyboard.type(text, { delay });
}

/** Focuses a cell, counted from 1, in command mode. */
export async function at(page: Page, cell: number): Promise<void> {
  await page
    .locator(`[data-group="cell"]`)
    .nth(cell - 1)
    .evaluate((element: HTMLElement) => element.focus({ preventScroll: true }));
}
