import { cleanup } from "@testing-library/react";
import { afterEach, beforeAll, vi } from "vitest";
import { menuParts } from "../src/ui/Menu.js";
import { toastParts } from "../src/ui/toast.js";

/** Nothing has a size in jsdom, so no size changes. */
class Unsized implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** Adds the browser functions that components need and jsdom lacks, for the tests of a file, and cleans up after each. */
export function preparePage(): void {
  beforeAll(async () => {
    await Promise.all([menuParts.load(), toastParts.load()]); // as they are a moment after a page was opened
    vi.stubGlobal("ResizeObserver", Unsized);
    Element.prototype.scrollIntoView = () => undefined;
    Element.prototype.hasPointerCapture = () => false;
    Element.prototype.setPointerCapture = () => undefined;
    Element.prototype.releasePointerCapture = () => undefined;
    window.scrollTo = () => undefined;
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
    HTMLDialogElement.prototype.close = function () {
      this.open = false;
    };
  });
  afterEach(cleanup);
}
