import { nextPaint } from "../lib/nextPaint.js";

/**
 * Scheduler lets one thing be done between two paints, so that the page is seen and takes keys meanwhile: the first at once,
 * and the others in the order in which they came.
 */
export class Scheduler {
  readonly #waiting = new Set<() => void>();
  #busy = false;

  /** Calls f when it is its turn, unless the function that is returned is called before. */
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
