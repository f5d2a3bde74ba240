import type { EditorState, Transaction } from "@codemirror/state";

/** ViewPort is what a {@link Binding} changes: an editor's view, or what is left of one that was taken down. */
export interface ViewPort {
  readonly state: EditorState;
  /** An input method is at work, which a change would disturb. */
  readonly composing: boolean;
  /** Shows a change; the view may go where one's own is, and stays where it is for one of others. */
  dispatch(tr: Transaction, own?: boolean): void;
}

/** DetachedViewPort is the state of an editor that nobody sees any more. */
export class DetachedViewPort implements ViewPort {
  readonly composing = false;
  #state: EditorState;

  constructor(state: EditorState) {
    this.#state = state;
  }

  get state(): EditorState {
    return this.#state;
  }

  dispatch(tr: Transaction): void {
    this.#state = tr.state;
  }
}
