import { type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** Mark is a piece of the text that somebody looked for. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  /** It is the one that one is at. */
  readonly current: boolean;
}

const set = StateEffect.define<readonly Mark[]>();

/** The marks go with the text until they are set anew. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    for (const effect of tr.effects) if (effect.is(set)) return drawn(effect.value, tr.state.doc.length);
    return marks.map(tr.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const found = Decoration.mark({ class: "cm-found" });
const current = Decoration.mark({ class: "cm-found cm-foundCurrent" });

/** They may be of a text that the editor is beyond. */
function drawn(marks: readonly Mark[], length: number): DecorationSet {
  const ranges = marks.flatMap((mark): readonly Range<Decoration>[] => {
    const to = Math.min(mark.to, length);
    return mark.from < to ? [(mark.current ? current : found).range(mark.from, to)] : [];
  });
  return Decoration.set(ranges, true);
}

/** Marks pieces of the text in place of those that are marked, and shows the one that one has come to. */
export function mark(view: EditorView, marks: readonly Mark[], before: readonly Mark[]): void {
  const there = view.state.field(marked, false) !== undefined;
  if (!there && marks.length === 0) return;
  const at = marks.find((one) => one.current);
  const moved = at !== undefined && at.from <= view.state.doc.length && before.find((one) => one.current)?.from !== at.from;
  view.dispatch({
    effects: [
      ...(there ? [] : [StateEffect.appendConfig.of([marked, look])]),
      set.of(marks),
      ...(moved ? [EditorView.scrollIntoView(at.from, { y: "nearest", yMargin: 96 })] : []),
    ],
  });
}

const look = EditorView.theme({
  ".cm-found": { background: "var(--found)", borderRadius: "2px", forcedColorAdjust: "none" },
  "@media (forced-colors: active)": { ".cm-found, .cm-found *": { color: "var(--on-found)" } },
  ".cm-foundCurrent, .cm-foundCurrent *": { background: "var(--found-current)", color: "var(--on-found-current)" },
});
