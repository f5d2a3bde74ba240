import { defaultKeymap, indentLess, indentMore } from "@codemirror/commands";
import { getIndentUnit } from "@codemirror/language";
import { type EditorState, countColumn } from "@codemirror/state";
import type { Command, EditorView, KeyBinding } from "@codemirror/view";
import { inUse } from "./inUse.js";

/** Ways are the actions of editor keys beyond the text. */
export interface Ways {
  undo(kind: "undo" | "redo"): void;
  escape(): void;
  leave(direction: -1 | 1): void;
  /** Whether the runtime may be asked about the text. */
  asks(): boolean;
  inspect(view: EditorView): void;
}

/** The keys of an editor. */
export function editorKeys(ways: Ways): readonly KeyBinding[] {
  return [
    { key: "Escape", run: done(() => ways.escape()) },
    { key: "ArrowUp", run: (view) => leave(view, -1, ways) },
    { key: "ArrowDown", run: (view) => leave(view, 1, ways) },
    { key: "Tab", run: (view) => tab(view, ways), shift: (view) => shiftTab(view, ways) },
    { key: "Mod-z", run: done(() => ways.undo("undo")), preventDefault: true },
    { key: "Mod-y", mac: "Mod-Shift-z", run: done(() => ways.undo("redo")), preventDefault: true },
    { linux: "Ctrl-Shift-z", win: "Ctrl-Shift-z", run: done(() => ways.undo("redo")), preventDefault: true },
    { key: "Mod-f", run: done(async (view) => (await import("./find.js")).find(view)), preventDefault: true },
    { key: "Mod-d", run: done(async (view) => (await import("./find.js")).selectNext(view)), preventDefault: true },
    ...defaultKeymap,
  ];
}

function done(f: (view: EditorView) => void): Command {
  return (view) => {
    f(view);
    return true;
  };
}

/** Leaves the editor beyond the first or last line of the screen. */
function leave(view: EditorView, direction: -1 | 1, ways: Ways): boolean {
  const { main, ranges } = view.state.selection;
  if (ranges.length > 1 || !main.empty || inUse.get()?.completionStatus(view.state) === "active") return false;
  if (!onOuterLine(view, main.head, direction)) return false;
  ways.leave(direction);
  return true;
}

function onOuterLine(view: EditorView, head: number, direction: -1 | 1): boolean {
  const { doc } = view.state;
  const edge = direction < 0 ? 0 : doc.length;
  if (doc.lineAt(head).number !== doc.lineAt(edge).number) return false;
  if (!view.lineWrapping) return true;
  const [at, end] = [view.coordsAtPos(head), view.coordsAtPos(edge)];
  return !at || !end || Math.abs(at.top - end.top) < (at.bottom - at.top) / 2;
}

function tab(view: EditorView, ways: Ways): boolean {
  const { state } = view;
  if (state.readOnly) return false;
  const { main } = state.selection;
  if (!main.empty || inIndentation(state, main.head)) return indentMore(view);
  if (ways.asks() && /[\w.]/.test(state.sliceDoc(main.head - 1, main.head))) return complete(view);
  view.dispatch(
    state.update(
      state.changeByRange((range) => {
        const insert = toNextStop(state, range.head);
        return { changes: { from: range.from, to: range.to, insert }, range: range.map(state.changes({ from: range.from, to: range.to, insert }), 1) };
      }),
      { userEvent: "input.indent", scrollIntoView: true },
    ),
  );
  return true;
}

function complete(view: EditorView): boolean {
  const loaded = inUse.get();
  if (loaded) return loaded.startCompletion(view);
  void inUse.load().then(({ startCompletion }) => startCompletion(view));
  return true;
}

function shiftTab(view: EditorView, ways: Ways): boolean {
  const { state } = view;
  const { main } = state.selection;
  if (ways.asks() && main.empty && !inIndentation(state, main.head)) {
    ways.inspect(view);
    return true;
  }
  return !state.readOnly && indentLess(view);
}

function inIndentation(state: EditorState, at: number): boolean {
  const line = state.doc.lineAt(at);
  return /^\s*$/.test(line.text.slice(0, at - line.from));
}

function toNextStop(state: EditorState, at: number): string {
  const line = state.doc.lineAt(at);
  const unit = getIndentUnit(state);
  return " ".repeat(unit - (countColumn(line.text, state.tabSize, at - line.from) % unit));
}
