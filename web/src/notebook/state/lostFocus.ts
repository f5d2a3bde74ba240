/** Elements in which keys are text or choices, and never commands of the notebook. */
const typed = "input, textarea, select, iframe, [contenteditable=''], [contenteditable='true'], [role='textbox'], [role='menu'], [role='dialog']";

/** Whether keys in an element are text or choices. */
export function isTypedIn(element: Element | null): boolean {
  return element?.closest(typed) != null;
}

/**
 * LostFocus knows whether the focus fell to the body of the page because others took away the field, frame or menu that
 * had it. The keys that follow were meant for that, so that they are no commands until a person chooses where to go on.
 */
export class LostFocus {
  #last: Element | undefined;
  #typed = false;

  /** Whether the focus was lost, and nothing was chosen since. */
  get lost(): boolean {
    return this.#typed && this.#last !== undefined && document.activeElement === document.body;
  }

  /** Listens to where the focus goes, until the function that is returned is called. */
  listen(): () => void {
    const came = ({ target }: FocusEvent): void => target instanceof Element ? this.#note(target) : undefined;
    // A frame that gets the focus is told of by no event but this.
    const left = (): void => void (document.activeElement instanceof HTMLIFrameElement && this.#note(document.activeElement));
    const pressed = (): void => this.chosen();
    document.addEventListener("focusin", came);
    document.addEventListener("pointerdown", pressed, true);
    window.addEventListener("blur", left);
    return () => {
      document.removeEventListener("focusin", came);
      document.removeEventListener("pointerdown", pressed, true);
      window.removeEventListener("blur", left);
    };
  }

  /** Notes that a person has chosen: the next keys are commands again. */
  chosen(): void {
    this.#last = undefined;
  }

  #note(element: Element): void {
    this.#last = element;
    this.#typed = isTypedIn(element);
  }
}
