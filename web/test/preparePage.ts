import { cleanup } from "@testing-library/react";
import { afterEach, beforeAll, vi } from "vitest";
import { menuParts } from "../src/ui/Menu.js";
import { toastParts } from "../src/ui/toast.js";

/** Nothing has a size in jsdom, so that nothing changes it. */
class Unsized implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** Gives the tests of a file what components need that jsdom has not, and an empty page after each. */
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
