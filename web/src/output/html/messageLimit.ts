const burst = 1000; // messages at once: a page that was busy for a while finds so many
const perSecond = 200; // a moving frame reports its height with each picture
const dear = 400; // the cost, in messages, of one that takes long to read or brings more than a message

/** MessageLimit detects frames that send more than the page can read beside its own work. */
export class MessageLimit {
  #left = burst;
  #time = 0;

  /** Counts a message at a time in milliseconds, and reports whether it may be read. */
  take(time: number, cost = 1): boolean {
    if (this.#left <= 0) return false; // for good
    this.#left = Math.min(burst, this.#left + (Math.max(0, time - this.#time) * perSecond) / 1000) - cost;
    this.#time = time;
    return this.#left > 0;
  }

  /** Counts the time that reading a message took, in milliseconds: megabytes take a while. */
  took(time: number, duration: number): boolean {
    return duration < 20 || this.take(time, Math.min(dear, duration * 4));
  }

  /** Counts a message that the page's own frame program never sends. */
  strange(time: number): boolean {
    return this.take(time, dear);
  }
}
