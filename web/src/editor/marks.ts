import { type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** Mark is a found piece of the text. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  /** It is the current match. */
  readonly current: boolean;
}

const set = StateEffect.define<readonly Mark[]>();

/** The marks move with the text until they are set again. */
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

/** The marks may refer to an older text. */
function drawn(marks: readonly Mark[], length: number): DecorationSet {
  const ranges = marks.flatMap((mark): readonly Range<Decoration>[] => {
    const to = Math.min(mark.to, length);
    return mark.from < to ? [(mark.current ? current : found).range(mark.from, to)] : [];
  });
  return Decoration.set(ranges, true);
}

/** Marks pieces of the text in place of the present marks, and scrolls to the current one. */
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
