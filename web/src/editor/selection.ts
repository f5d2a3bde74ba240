import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection } from "@codemirror/view";

const drawing = new Compartment();
const drawn = drawSelection();

/**
 * Draws the carets and selections of an editor while there are several. A single one is left to the browser: one drawn by the
 * page is measured for each key, and its animation slows the next keys.
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
