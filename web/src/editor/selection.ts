import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection } from "@codemirror/view";

const drawing = new Compartment();
const drawn = drawSelection();

/**
 * Draws the carets and selections of an editor for as long as there are several. A single one the browser shows itself:
 * one that the page draws is measured for each key, and leaves an animation behind that the next keys pay for.
 */
export const selection: Extension = [
  drawing.of([]),
  EditorState.transactionExtender.of(({ startState, newSelection }) => {
    const several = newSelection.ranges.length > 1;
    return several === isDrawn(startState) ? null : { effects: drawing.reconfigure(several ? drawn : []) };
  }),
];

function isDrawn(state: EditorState): boolean {
  return drawing.get(state) === drawn;
}
