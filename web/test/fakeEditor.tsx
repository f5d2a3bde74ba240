import { type KeyboardEvent, type Ref, useImperativeHandle, useRef } from "react";
import type { CellID, CellKind } from "../src/core/event.js";
import { useClient, useText } from "../src/core/hooks.js";
import type { Landing } from "../src/editor/landing.js";
import { nameOf, normal } from "../src/notebook/state/keymap.js";

/** The number of renders of each cell's editor since it was last cleared. */
export const renders = new Map<CellID, number>();

interface Props {
  readonly cell: CellID;
  readonly kind: CellKind;
  readonly label: string;
  readonly readOnly: boolean;
  readonly lineNumbers: boolean;
  readonly keymap: readonly { readonly key: string; readonly run: () => boolean }[];
  readonly onFocus: () => void;
  readonly onEscape: () => void;
  readonly onLeave: (direction: -1 | 1) => void;
  readonly marks?: readonly { readonly from: number; readonly to: number; readonly current: boolean }[] | undefined;
  readonly handle: Ref<EditorHandle>;
}

export interface EditorHandle {
  focus(at: "start" | "end" | "keep" | { readonly line: number } | Landing): void;
  selections(): readonly { readonly anchor: number; readonly head: number }[];
  source(): string;
  composing(): boolean;
  press(event: { readonly key: string }): void;
  flush(): Promise<void>;
}

/** Replaces the editor in tests of its surroundings: a field whose value is the cell's source. */
export function Editor(props: Props) {
  renders.set(props.cell, (renders.get(props.cell) ?? 0) + 1);
  return <Field {...props} />;
}

function Field({ cell, label, readOnly, lineNumbers, keymap, onFocus, onEscape, onLeave, marks = [], handle }: Props) {
  const client = useClient();
  const text = useText(cell);
  const field = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => ({
    focus: (at) => {
      field.current?.focus();
      const place = placeOf(at, field.current?.value ?? "");
      if (place !== undefined) field.current?.setSelectionRange(place, place);
    },
    selections: () => [{ anchor: field.current?.selectionStart ?? 0, head: field.current?.selectionEnd ?? 0 }],
    source: () => field.current?.value ?? "",
    composing: () => false,
    press: ({ key }) => set((client.store.text(cell)?.source ?? "") + key),
    flush: () => Promise.resolve(),
  }));
  const onKeyDown = (event: KeyboardEvent): void => {
    const pressed = nameOf(event.nativeEvent);
    const name = pressed === "Ctrl-_" ? normal("Ctrl-Shift--", false) : pressed;
    if (name === "Escape") return onEscape();
    if (name === "ArrowUp" || name === "ArrowDown") return onLeave(name === "ArrowUp" ? -1 : 1);
    const binding = keymap.find(({ key }) => normal(key, false) === name);
    if (binding?.run()) event.preventDefault();
  };
  const set = (source: string): void => {
    const text = client.store.text(cell);
    if (text) void client.push({ cell, version: text.version, by: "test", edits: [[-text.source.length, source].filter((part) => part !== 0 && part !== "")] });
  };
  return (
    <textarea
      ref={field}
      data-numbered={lineNumbers || undefined}
      data-marks={marks.map(({ from, to, current }) => `${from}-${to}${current ? "*" : ""}`).join(" ")}
      aria-label={label}
      readOnly={readOnly}
      value={text?.source ?? ""}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onChange={(event) => set(event.target.value)}
    />
  );
}

function placeOf(at: Parameters<EditorHandle["focus"]>[0], text: string): number | undefined {
  if (at === "keep") return undefined;
  if (at === "start") return 0;
  if (typeof at === "object" && "take" in at) return at.take()?.head;
  return at === "end"
    ? text.length
    : text
        .split("\n")
        .slice(0, at.line - 1)
        .join("\n").length;
}
