import type { ActionName } from "./keys.js";

/** Actions after which the keys are for another cell, for cells in other places, or for what was copied. */
const choosing: ReadonlySet<ActionName> = new Set([
  "insertAbove", "insertBelow", "delete", "undo", "redo", "cut", "copy", "paste", "pasteAbove", "moveUp", "moveDown", "merge", "split", "runNext", "runInsert",
]);

/** Whether the keys that follow an action are for what it chooses. */
export function chooses(action: ActionName): boolean {
  return choosing.has(action);
}

/** The most keys that are kept: more is a key that is stuck. */
const most = 100;

/** Actions for which a browser may ask the person first, as before a page reads the clipboard. */
const asking: ReadonlySet<ActionName> = new Set(["paste", "pasteAbove"]);

/** How long keys wait for an action that asks, in milliseconds. For the core they wait as long as it takes. */
const patience = 5000;

/** How long keys wait for the editor that they are for, in milliseconds: it comes, unless something is broken. */
const longest = 30_000;

/** Presser does what held keys say. */
export interface Presser {
  /** Says whether the target of the next key has the focus, is still to get it, or is out of reach. */
  readonly target: () => "focused" | "coming" | "gone";
  readonly press: (event: KeyboardEvent) => void;
  /** Is called when keys are dropped because their editor did not come. */
  readonly dropped: () => void;
}

/**
 * HeldKeys keeps the keys that are pressed while an action that chooses a cell is under way: they are meant for that
 * cell. They count in their order once it is chosen. Of a key that is held down the repetitions are left out.
 */
export class HeldKeys {
  #under = 0;
  /** Counts how often nothing was waited for any more. */
  #era = 0;
  #held: KeyboardEvent[] = [];
  #releasing = false;
  #presser: Presser | undefined;

  /** Says what presses the keys, until the function that is returned is called. */
  pressedBy(presser: Presser): () => void {
    this.#presser = presser;
    return () => {
      this.#presser = undefined;
      this.forget();
    };
  }

  /** Whether a key that is pressed now has to wait. */
  get waiting(): boolean {
    return this.#under > 0 || this.#held.length > 0;
  }

  hold(event: KeyboardEvent): void {
    if (!event.repeat && this.#held.length < most) this.#held.push(event);
  }

  /** Holds the keys until an action is done, whether or not it could be done. */
  async during(name: ActionName, action: Promise<void>): Promise<void> {
    const era = this.#era;
    this.#under++;
    const late = asking.has(name) ? setTimeout(() => era === this.#era && this.forget(), patience) : undefined;
    await action;
    clearTimeout(late);
    if (era !== this.#era) return;
    this.#under--;
    await this.#release();
  }

  /** Forgets what is held and what it waits for, as when a person goes on elsewhere. */
  forget(): void {
    this.#era++;
    this.#under = 0;
    this.#held = [];
  }

  async #release(): Promise<void> {
    if (this.#releasing) return;
    this.#releasing = true;
    let since = performance.now();
    while (this.#under === 0 && this.#held.length > 0 && this.#presser) {
      const target = this.#presser.target();
      if (target === "focused") {
        this.#next(this.#presser);
        since = performance.now();
      } else if (target === "gone") this.forget();
      else if (performance.now() - since > longest) this.#drop(this.#presser);
      else await new Promise(requestAnimationFrame);
    }
    this.#releasing = false;
  }

  #drop(presser: Presser): void {
    this.forget();
    presser.dropped();
  }

  #next({ press }: Presser): void {
    const event = this.#held.shift();
    if (event) press(event);
  }
}
