/** Elements in which keys are text or choices, and never commands. */
const typed = "input, textarea, select, iframe, [contenteditable=''], [contenteditable='true'], [role='textbox'], [role='menu'], [role='dialog']";

/** Whether keys in an element are text or choices. */
export function isTypedIn(element: Element | null): boolean {
  return element?.closest(typed) != null;
}

/**
 * LostFocus detects that the focus fell to the body because others removed the focused field, frame or menu. The next keys were
 * meant for that element, so they are no commands until the user chooses where to continue.
 */
export class LostFocus {
  #last: Element | undefined;
  #typed = false;

  /** Whether the focus was lost, and the user has not chosen since. */
  get lost(): boolean {
    return this.#typed && this.#last !== undefined && document.activeElement === document.body;
  }

  /** Listens to focus changes. Returns the function that ends this. */
  listen(): () => void {
    const came = ({ target }: FocusEvent): void => (target instanceof Element ? this.#note(target) : undefined);
    // The focus of a frame has no other event.
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

  /** Records a choice of the user: the next keys are commands again. */
  chosen(): void {
    this.#last = undefined;
  }

  #note(element: Element): void {
    this.#last = element;
    this.#typed = isTypedIn(element);
  }
}
