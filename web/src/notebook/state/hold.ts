import { isTypedIn } from "./lostFocus.js";

/**
 * Hold keeps the line of the caret where it is seen, for as long as a person types in something of a scrolled view that
 * can be seen: whatever others add, take away or move above it, or print. While it does, the browser's own scroll
 * anchoring is off, which holds the topmost thing that is seen instead.
 */
export class Hold {
  readonly #view: HTMLElement;
  readonly #list: HTMLElement;
  #anchor: Element | undefined;
  #seen = false;
  /** The place of the anchor in what is scrolled, and of the view in the window. */
  #place = 0;
  #top = 0;
  #scroll = 0;
  #height = 0;
  /** The room above and below the cells that was added to hold a line that would else go out of what can be scrolled to. */
  #above = 0;
  #below = 0;
  /** Where the line of the caret was seen, and in what, before its text went to another cell. */
  #carried: { readonly from: Element | undefined; readonly line: number; readonly time: number } | undefined;

  constructor(view: HTMLElement, list: HTMLElement) {
    this.#view = view;
    this.#list = list;
  }

  /** Listens to what moves the caret or the view, until the function that is returned is called. */
  listen(): () => void {
    const note = (): void => this.note();
    // What is typed in stays where it is in what is scrolled when a person scrolls; if it has another place, a size has changed that is told only later in the frame.
    const scrolled = (): void => this.keep();
    const trim = (): void => this.#trim();
    const frame = (): void => void requestAnimationFrame(note); // a frame with the focus is told of by no other event
    document.addEventListener("focusin", note);
    window.addEventListener("blur", frame);
    this.#view.addEventListener("scroll", scrolled, { passive: true });
    this.#view.addEventListener("scrollend", trim);
    // Sizes are told after layout; a change of the page is made good before anything else looks at it.
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

  /** Takes note of where things are, as they are to stay. */
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

  /** Puts the line of the caret back to where it was. */
  keep(): void {
    const anchor = this.#typedIn();
    if (this.#carried) return this.#arrive(this.#carried, anchor);
    if (anchor && anchor === this.#anchor && this.#seen) {
      const by = this.#placeOf(anchor) - this.#place + this.#view.getBoundingClientRect().top - this.#top + this.#cut();
      if (Math.abs(by) >= 1) this.#scrollTo(this.#view.scrollTop + by);
    }
    this.note();
  }

  /** Makes a change of the text that has the caret, and holds the line of the caret. */
  around(change: () => void): void {
    const before = this.#seen ? this.#line() : undefined;
    change();
    const after = before === undefined ? undefined : this.#line();
    if (before !== undefined && after !== undefined && Math.abs(after - before) >= 1) this.#scrollTo(this.#view.scrollTop + after - before);
    this.note();
  }

  /** Holds the line of the caret where it is now, for the cell to which its text goes. */
  carry(): void {
    if (this.#carried?.from === this.#typedIn() && !this.#isLate) return; // the text went on before the caret was there
    this.keep();
    const line = this.#seen ? this.#line() : undefined;
    this.#carried = line === undefined ? undefined : { from: this.#anchor, line, time: performance.now() };
  }

  get #isLate(): boolean {
    return this.#carried === undefined || performance.now() - this.#carried.time > 1000;
  }

  /** Whether a change may move the line of the caret: those of the text itself are made around it. */
  #matters({ target }: MutationRecord): boolean {
    return !(this.#anchor?.hasAttribute("data-editor") && this.#anchor.contains(target));
  }

  #arrive(carried: { readonly from: Element | undefined; readonly line: number; readonly time: number }, anchor: Element | undefined): void {
    const late = this.#isLate;
    if (anchor === carried.from && !late) return; // the caret is still to go there
    this.#carried = undefined;
    this.note();
    const line = this.#line();
    if (line !== undefined && !late) this.#scrollTo(this.#view.scrollTop + line - carried.line);
    this.note();
  }

  /** Returns what is typed in: the editor, field or frame in the list that has the focus. */
  #typedIn(): Element | undefined {
    const focused = document.activeElement;
    if (!focused || !this.#list.contains(focused) || !isTypedIn(focused)) return undefined;
    return focused.closest("[data-editor]") ?? focused;
  }

  /** Returns where the line of the caret is seen. */
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

  /** Returns by how much the browser scrolled because what is scrolled got shorter. */
  #cut(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    const atEnd = scrollTop >= scrollHeight - clientHeight - 1;
    return atEnd && scrollTop < this.#scroll && scrollHeight < this.#height ? this.#scroll - scrollTop : 0;
  }

  /** Scrolls there, with more room where the cells end too soon, and less where it is not needed any more. */
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

  /** Takes away what is not seen any more of the room that was added. */
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

  /** Returns how far one can scroll without the room that was added below, less than nothing if all is seen at once. */
  #end(): number {
    const { clientHeight, scrollTop, lastElementChild: last } = this.#view;
    const bottom = (last?.getBoundingClientRect().bottom ?? 0) - this.#view.getBoundingClientRect().top + scrollTop;
    return bottom + Number.parseFloat(getComputedStyle(this.#view).paddingBottom || "0") - this.#below - clientHeight;
  }
}
