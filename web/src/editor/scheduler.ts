import { nextPaint } from "../lib/nextPaint.js";

/**
 * Scheduler runs one task between two paints, so the page is painted and takes keys meanwhile: the first task at once, the
 * others in order.
 */
export class Scheduler {
  readonly #waiting = new Set<() => void>();
  #busy = false;

  /** Schedules f. Returns the function that cancels it. */
  schedule(f: () => void): () => void {
    this.#waiting.add(f);
    if (!this.#busy) this.#next();
    return () => void this.#waiting.delete(f);
  }

  #next(): void {
    const [f] = this.#waiting;
    this.#busy = f !== undefined;
    if (!f) return;
    this.#waiting.delete(f);
    f();
    void nextPaint().then(() => this.#next());
  }
}
