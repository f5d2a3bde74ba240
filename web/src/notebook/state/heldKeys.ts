import type { ActionName } from "./keymap.js";

/** Actions whose following keys are meant for another cell, for cells in other places, or for copied cells. */
const choosing: ReadonlySet<ActionName> = new Set([
  "insertAbove",
  "insertBelow",
  "delete",
  "undo",
  "redo",
  "cut",
  "copy",
  "paste",
  "pasteAbove",
  "moveUp",
  "moveDown",
  "merge",
  "split",
  "runNext",
  "runInsert",
]);

/** Whether the keys after an action are meant for its result. */
export function chooses(action: ActionName): boolean {
  return choosing.has(action);
}

/** The most held keys. A typist needs many minutes for so many. */
const most = 5000;

/** Actions for which a browser may ask the user first, as before a page reads the clipboard. */
const asking: ReadonlySet<ActionName> = new Set(["paste", "pasteAbove"]);

/** The time that keys wait for an action that asks, in milliseconds. For the core they wait without a limit. */
const patience = 5000;

/** The time that keys wait for their editor, in milliseconds: it comes, unless something is broken. */
const longest = 30_000;

/** Presser handles held keys. */
export interface Presser {
  /** Tells whether the target of the next key has the focus, will get it, or is out of reach. */
  readonly target: () => "focused" | "coming" | "gone";
  readonly press: (event: KeyboardEvent) => void;
  /** Called when keys are dropped because their editor did not come, or because the core did not start. */
  readonly dropped: (missing: "editor" | "core") => void;
}

/**
 * HeldKeys holds the keys that are pressed while an action chooses a cell: they are meant for that cell. They are handled in
 * order once it is chosen. Repetitions of a key that is held down are left out.
 */
export class HeldKeys {
  #under = 0;
  /** Counts how often all waits were given up. */
  #era = 0;
  #held: KeyboardEvent[] = [];
  #releasing = false;
  #broken = false;
  #presser: Presser | undefined;

  /** Sets the handler of held keys. Returns the function that removes it. */
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

  /** Holds the keys until an action ends, whether or not it succeeds. */
  async during(name: ActionName, action: Promise<void>): Promise<void> {
    if (this.#broken) return;
    const era = this.#era;
    this.#under++;
    const late = asking.has(name) ? setTimeout(() => era === this.#era && this.forget(), patience) : undefined;
    await action;
    clearTimeout(late);
    if (era !== this.#era) return;
    this.#under--;
    await this.#release();
  }

  /** Drops the held keys and gives up all waits, as when the user continues elsewhere. */
  forget(): void {
    this.#era++;
    this.#under = 0;
    this.#held = [];
  }

  /** Records that the core did not start, so no action will end: keys wait no longer. */
  broke(): void {
    this.#broken = true;
    const held = this.#held.length > 0;
    this.forget();
    if (held) this.#presser?.dropped("core");
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
    presser.dropped("editor");
  }

  #next({ press }: Presser): void {
    const event = this.#held.shift();
    if (event) press(event);
  }
}
