import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hold } from "./hold.js";

const height = 600;

/** Layout is the simulated layout of a list with a focused field. */
class Layout {
  readonly view = document.createElement("main");
  readonly list = document.createElement("div");
  readonly field = document.createElement("textarea");
  readonly hold: Hold;
  /** The place of the field in the scrolled content. */
  place = 2000;

  constructor() {
    this.view.append(this.list);
    this.list.append(this.field);
    document.body.append(this.view);
    Object.defineProperties(this.view, { clientHeight: { value: height }, scrollHeight: { value: 10_000 } });
    this.view.getBoundingClientRect = () => new DOMRect(0, 0, 800, height);
    this.list.getBoundingClientRect = () => new DOMRect(0, -this.view.scrollTop, 800, 10_000);
    this.field.getBoundingClientRect = () => new DOMRect(0, this.seen, 800, 20);
    this.hold = new Hold(this.view, this.list);
  }

  /** The visible place of the field. */
  get seen(): number {
    return this.place - this.view.scrollTop;
  }

  /** Scrolls, and dispatches the event as a browser does at the next frame. */
  scroll(to = this.view.scrollTop): void {
    this.view.scrollTop = to;
    this.view.dispatchEvent(new Event("scroll"));
  }
}

let layout: Layout;
let stop: () => void;

beforeEach(() => {
  layout = new Layout();
  stop = layout.hold.listen();
  layout.view.scrollTop = 1800;
  layout.field.focus();
});

afterEach(() => {
  stop();
  layout.view.remove();
  vi.restoreAllMocks();
});

test("the line stays in place when a size changes before a scroll is told, and is told of after it", () => {
  layout.place += 70; // a cell was added above
  layout.hold.keep();
  expect(layout.seen).toBe(200);
  layout.place += 52; // another one, before the next paint
  layout.scroll();
  layout.hold.keep();
  expect(layout.seen).toBe(200);
});

test("a person who scrolls is not led back, and the line stays where they scrolled it", () => {
  layout.scroll(1700);
  expect(layout.view.scrollTop).toBe(1700);
  layout.place += 70;
  layout.hold.keep();
  expect(layout.seen).toBe(300);
});

test("a person who scrolls while cells come is not led back", () => {
  layout.view.scrollTop = 1750;
  layout.place += 70;
  layout.scroll();
  expect(layout.seen).toBe(250);
});

test("a line that was scrolled out of sight is not held", () => {
  layout.scroll(5000);
  layout.place += 70;
  layout.hold.keep();
  expect(layout.view.scrollTop).toBe(5000);
  expect(layout.view.style.overflowAnchor).toBe("");
});
