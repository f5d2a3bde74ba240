const burst = 1000; // messages at once, which is what a page that was busy for a while finds
const perSecond = 200; // a frame that moves says its height with each picture
const dear = 400; // messages as which one counts that takes long to read or brings more than a message

/** MessageLimit says when a frame says more than the page can read beside its own work. */
export class MessageLimit {
  #left = burst;
  #time = 0;

  /** Counts a message that comes at a time in milliseconds, and reports whether it may be read. */
  take(time: number, cost = 1): boolean {
    if (this.#left <= 0) return false; // for good
    this.#left = Math.min(burst, this.#left + (Math.max(0, time - this.#time) * perSecond) / 1000) - cost;
    this.#time = time;
    return this.#left > 0;
  }

  /** Counts how long a message took to be read, in milliseconds: one with megabytes takes a while. */
  took(time: number, duration: number): boolean {
    return duration < 20 || this.take(time, Math.min(dear, duration * 4));
  }

  /** Counts something that no frame of ours does. */
  strange(time: number): boolean {
    return this.take(time, dear);
  }
}
