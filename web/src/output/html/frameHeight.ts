const tallest = 20_000; // pixels
const often = 12; // changes in a second that are more than a page makes on its way to its final height
const second = 1000; // milliseconds
const least = 320; // pixels of a page that would grow for ever

/**
 * FrameHeight decides the height of a frame. A page whose height depends on that of its frame would make it grow for ever, or
 * oscillate: it gets a few chances to settle, then a height in which it scrolls.
 */
export class FrameHeight {
  #height: number;
  #changes: { readonly time: number; readonly from: number }[] = [];
  #waiting: number | undefined;
  #waits = 0;
  #fixed = false;

  constructor(height: number) {
    this.#height = height;
  }

  get height(): number {
    return this.#height;
  }

  /** Reports whether a height waits for a pause in the reports: then release is to be called. */
  get waits(): boolean {
    return this.#waiting !== undefined;
  }

  /** Takes a reported height, at a time in milliseconds. */
  take(said: number, time: number): void {
    const height = Math.min(tallest, Math.ceil(said));
    if (this.#fixed) return;
    if (this.#waiting !== undefined) {
      this.#waiting = height;
      return;
    }
    if (Math.abs(height - this.#height) < 1) return;
    this.#changes = this.#changes.filter((change) => time - change.time < second);
    if (height === tallest && this.#changes.length > 3) this.#fix();
    else if (this.#changes.length < often) this.#change(height, time);
    else if (this.#waits < 2) this.#waiting = height;
    else this.#fix();
  }

  /** Applies the waiting height. */
  release(time: number): void {
    const height = this.#waiting;
    this.#waiting = undefined;
    this.#waits++;
    if (height !== undefined && Math.abs(height - this.#height) >= 1) this.#change(height, time);
  }

  /** Starts over, for other content. */
  reset(): void {
    this.#changes = [];
    this.#waiting = undefined;
    this.#waits = 0;
    this.#fixed = false;
  }

  #change(height: number, time: number): void {
    this.#changes.push({ time, from: this.#height });
    this.#height = height;
  }

  #fix(): void {
    this.#fixed = true;
    this.#height = Math.max(least, this.#changes[0]?.from ?? 0);
  }
}

/** Estimates the height of HTML from its source. */
export function guessHeight(source: string): number {
  const rows = source.match(/<tr\b/gi)?.length ?? 0;
  return rows > 0 ? Math.min(rows * 29 + 8, 600) : 60;
}
