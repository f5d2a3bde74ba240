import type { EditorState, Transaction } from "@codemirror/state";

/** ViewPort is the target of a {@link Binding}: the view of an editor, or the state left after its removal. */
export interface ViewPort {
  readonly state: EditorState;
  /** A composition is under way, which a change would disturb. */
  readonly composing: boolean;
  /** Applies a change; the view may scroll to an own one, and stays in place for one of others. */
  dispatch(tr: Transaction, own?: boolean): void;
}

/** DetachedViewPort is the state of a removed editor. */
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
