import { isTypedIn } from "./lostFocus.js";

/**
 * Hold keeps the line of the caret at its place in the window while the user types in a visible editor, field or frame of a
 * scrolled view: whatever others add, remove or move above it, or print. Meanwhile the browser's own scroll anchoring is off,
 * which would hold the topmost visible element instead.
 */
export class Hold {
  readonly #view: HTMLElement;
  readonly #list: HTMLElement;
  #anchor: Element | undefined;
  #seen = false;
  /** The place of the anchor in the scrolled content, and of the view in the window. */
  #place = 0;
  #top = 0;
  #scroll = 0;
  #height = 0;
  /** The space added above and below the cells to hold a line that would lie outside of the scroll range. */
  #above = 0;
  #below = 0;
  /** The place of the caret's line, and its element, before its text was moved to another cell. */
  #carried: { readonly from: Element | undefined; readonly line: number; readonly time: number } | undefined;

  constructor(view: HTMLElement, list: HTMLElement) {
    this.#view = view;
    this.#list = list;
  }

  /** Listens to movements of the caret and the view. Returns the function that ends this. */
  listen(): () => void {
    const note = (): void => this.note();
    // Scrolling leaves the anchor at its place in the content; another place means a changed size that is reported later in the
    // frame.
    const scrolled = (): void => this.keep();
    const trim = (): void => this.#trim();
    const frame = (): void => void requestAnimationFrame(note); // the focus of a frame has no other event
    document.addEventListener("focusin", note);
    window.addEventListener("blur", frame);
    this.#view.addEventListener("scroll", scrolled, { passive: true });
    this.#view.addEventListener("scrollend", trim);
    // Resize observers run after layout; a change of the page is corrected before any other code measures it.
    const changes = new MutationObserver((records) => this.#seen && records.some((record) => this.#matters(record)) && this.keep());
    changes.observe(this.#list, { childList: true, characterData: true, attributeFilter: ["style", "hidden"], subtree: true });
    return () => {
      changes.disconnect();
      document.removeEventListener("focusin", note);
      window.removeEventListener("blur", frame);
      this.#view.removeEventListener("scroll", scrolled);
      this.#view.removeEventListener("scrollend", trim);
    };
  }

  /** Records the present positions, to be kept. */
  note(): void {
    const view = this.#view.getBoundingClientRect();
    this.#anchor = this.#typedIn();
    this.#top = view.top;
    this.#scroll = this.#view.scrollTop;
    this.#height = this.#view.scrollHeight;
    this.#place = this.#placeOf(this.#anchor);
    this.#seen = this.#isSeen(view);
    this.#view.style.overflowAnchor = this.#seen ? "none" : "";
  }

  /** Restores the position of the caret's line. */
  keep(): void {
    const anchor = this.#typedIn();
    if (this.#carried) return this.#arrive(this.#carried, anchor);
    if (anchor && anchor === this.#anchor && this.#seen) {
      const by = this.#placeOf(anchor) - this.#place + this.#view.getBoundingClientRect().top - this.#top + this.#cut();
      if (Math.abs(by) >= 1) this.#scrollTo(this.#view.scrollTop + by);
    }
    this.note();
  }

  /** Applies a change to the text with the caret, and holds the caret's line. */
  around(change: () => void): void {
    const before = this.#seen ? this.#line() : undefined;
    change();
    const after = before === undefined ? undefined : this.#line();
    if (before !== undefined && after !== undefined && Math.abs(after - before) >= 1) this.#scrollTo(this.#view.scrollTop + after - before);
    this.note();
  }

  /** Holds the present position of the caret's line for the cell to which its text is moved. */
  carry(): void {
    if (this.#carried?.from === this.#typedIn() && !this.#isLate) return; // the text was moved again before the caret arrived
    this.keep();
    const line = this.#seen ? this.#line() : undefined;
    this.#carried = line === undefined ? undefined : { from: this.#anchor, line, time: performance.now() };
  }

  get #isLate(): boolean {
    return this.#carried === undefined || performance.now() - this.#carried.time > 1000;
  }

  /** Whether a change may move the caret's line: changes of the text itself are made within around(). */
  #matters({ target }: MutationRecord): boolean {
    return !(this.#anchor?.hasAttribute("data-editor") && this.#anchor.contains(target));
  }

  #arrive(carried: { readonly from: Element | undefined; readonly line: number; readonly time: number }, anchor: Element | undefined): void {
    const late = this.#isLate;
    if (anchor === carried.from && !late) return; // the caret is still to arrive
    this.#carried = undefined;
    this.note();
    const line = this.#line();
    if (line !== undefined && !late) this.#scrollTo(this.#view.scrollTop + line - carried.line);
    this.note();
  }

  /** Returns the focused editor, field or frame in the list. */
  #typedIn(): Element | undefined {
    const focused = document.activeElement;
    if (!focused || !this.#list.contains(focused) || !isTypedIn(focused)) return undefined;
    return focused.closest("[data-editor]") ?? focused;
  }

  /** Returns the position of the caret's line. */
  #line(): number | undefined {
    const node = this.#anchor?.hasAttribute("data-editor") ? document.getSelection()?.focusNode : undefined;
    const element = node instanceof Element ? node : node?.parentElement;
    return (element?.closest(".cm-line") ?? this.#typedIn())?.getBoundingClientRect().top;
  }

  #isSeen({ top, bottom }: DOMRect): boolean {
    if (!this.#anchor) return false;
    const box = this.#anchor.getBoundingClientRect();
    const line = this.#anchor.hasAttribute("data-editor") ? (this.#line() ?? box.top) : Math.max(box.top, top);
    return line >= top - 1 && line < bottom && box.bottom > top;
  }

  #placeOf(anchor: Element | undefined): number {
    return anchor ? anchor.getBoundingClientRect().top - this.#view.getBoundingClientRect().top + this.#view.scrollTop : 0;
  }

  /** Returns the distance that the browser scrolled because the content became shorter. */
  #cut(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    const atEnd = scrollTop >= scrollHeight - clientHeight - 1;
    return atEnd && scrollTop < this.#scroll && scrollHeight < this.#height ? this.#scroll - scrollTop : 0;
  }

  /** Scrolls, with added space where the content is too short, and without space that is no longer needed. */
  #scrollTo(want: number): void {
    const above = Math.max(0, this.#above - want);
    const to = want + above - this.#above;
    const end = this.#end() + above - this.#above;
    const below = Math.max(0, Math.ceil(to - end));
    if (above !== this.#above) this.#list.style.marginTop = above === 0 ? "" : `${above}px`;
    if (below !== this.#below) this.#view.style.setProperty("--below", `${below}px`);
    this.#above = above;
    this.#below = below;
    this.#view.scrollTop = to;
  }

  /** Removes added space that is out of sight. */
  #trim(): void {
    const { scrollTop } = this.#view;
    const hidden = Math.min(scrollTop, this.#above);
    const below = Math.min(this.#below, Math.max(0, Math.ceil(scrollTop - this.#end())));
    if (below !== this.#below) this.#view.style.setProperty("--below", `${below}px`);
    this.#below = below;
    if (hidden === 0) return;
    this.#above -= hidden;
    this.#list.style.marginTop = this.#above === 0 ? "" : `${this.#above}px`;
    this.#view.scrollTop = scrollTop - hidden;
    this.note();
  }

  /** Returns the end of the scroll range without the space added below, negative if all content is visible. */
  #end(): number {
    const { clientHeight, scrollTop, lastElementChild: last } = this.#view;
    const bottom = (last?.getBoundingClientRect().bottom ?? 0) - this.#view.getBoundingClientRect().top + scrollTop;
    return bottom + Number.parseFloat(getComputedStyle(this.#view).paddingBottom || "0") - this.#below - clientHeight;
  }
}
