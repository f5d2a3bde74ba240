import { type Ref, useCallback, useImperativeHandle, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import type { CellID } from "../core/event.js";
import { useClient } from "../core/hooks.js";
import { Store } from "../core/store.js";
import { CellEditor, type Events, type FocusAt } from "./cellEditor.js";
import styles from "./Editor.module.css";
import type { Mark } from "./marks.js";
import type { EditorOptions } from "./options.js";
import { Scheduler } from "./scheduler.js";

/** EditorHandle is the page's interface to an editor. */
export interface EditorHandle {
  focus(at: FocusAt): void;
  selections(): readonly { readonly anchor: number; readonly head: number }[];
  source(): string;
  composing(): boolean;
  /** Handles a key that was pressed before the editor had the focus. */
  press(event: KeyboardEvent): void;
  /** Resolves when the core has all that was typed: a run must wait for it. */
  flush(): Promise<void>;
}

interface Props extends EditorOptions, Omit<Events, "onTrouble"> {
  readonly cell: CellID;
  /** The found pieces of the text. */
  readonly marks?: readonly Mark[] | undefined;
  readonly handle: Ref<EditorHandle>;
}

const noMarks: readonly Mark[] = [];

/** The editor of a cell's source. Its keymap must be a stable reference: another one reconfigures the editor. */
export function Editor({ handle, marks = noMarks, ...props }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLPreElement>(null);
  const wanted = useRef<FocusAt>(undefined);
  const [trouble, setTrouble] = useState<string>();
  const [turn, hurry] = useScheduled();
  const editor = useEditor(host, turn, wanted, { ...props, onTrouble: setTrouble });
  const source = useSource(props.cell);
  const loaded = useLoaded(props.cell);
  useLayoutEffect(() => editor.current?.mark(marks), [editor, marks, loaded, turn]);
  useImperativeHandle(
    handle,
    () => ({
      focus: (at) => {
        if (editor.current) return editor.current.focus(at);
        wanted.current = at;
        hurry();
        first.current?.focus({ preventScroll: true }); // the focus stays here until there is an editor
      },
      selections: () => editor.current?.selections ?? [],
      source: () => editor.current?.source ?? source(),
      composing: () => editor.current?.composing ?? false,
      press: (event) => editor.current?.press(event),
      flush: async () => editor.current?.flush(),
    }),
    [editor, source, hurry],
  );
  return (
    <>
      <div className={styles.editor} ref={host} />
      {!(turn && loaded) && (
        <pre
          ref={first}
          className={styles.first}
          tabIndex={-1}
          onPointerDown={hurry}
          onKeyDown={(event) => event.key === "Escape" && props.onEscape()}
          onBlur={(event) => event.relatedTarget && (wanted.current = undefined)}
        >
          {source() || "\u200b"}
        </pre>
      )}
      {trouble !== undefined && (
        <p className={styles.trouble} role="alert">
          {trouble}
        </p>
      )}
    </>
  );
}

/**
 * Keeps an editor in an element while the cell has a text. Applies a focus request made before the editor existed, unless focus
 * has moved.
 */
function useEditor(
  host: React.RefObject<HTMLDivElement | null>,
  turn: boolean,
  wanted: React.RefObject<FocusAt | undefined>,
  props: EditorOptions & Events & { readonly cell: CellID },
): React.RefObject<CellEditor | null> {
  const client = useClient();
  const latest = useRef(props);
  const editor = useRef<CellEditor>(null);
  const { cell } = props;
  const loaded = useLoaded(cell);
  useLayoutEffect(() => {
    latest.current = props;
    editor.current?.reconfigure(props);
  });
  useLayoutEffect(() => {
    const text = client.store.text(cell);
    if (!loaded || !turn || !text || !host.current) return;
    const made = new CellEditor(client, cell, text, host.current, latest.current, () => latest.current);
    editor.current = made;
    const at = wanted.current;
    wanted.current = undefined;
    if (at !== undefined && isNowhere(document.activeElement)) made.focus(at);
    else if (typeof at === "object" && "take" in at) made.land(at);
    return () => {
      editor.current = null;
      made.destroy();
    };
  }, [client, cell, loaded, turn, host, wanted]);
  return editor;
}

/** Whether the focused element is none that the user could have chosen. */
function isNowhere(focused: Element | null): boolean {
  return focused === null || focused === document.body;
}

/** Whether the cell's text has come. Unlike the text, this does not change with each key. */
function useLoaded(cell: CellID): boolean {
  const { store } = useClient();
  const listen = useCallback((f: () => void) => store.listen(Store.textKey(cell), f), [store, cell]);
  return useSyncExternalStore(listen, () => store.text(cell) !== undefined);
}

function useSource(cell: CellID): () => string {
  const { store } = useClient();
  return useCallback(() => store.text(cell)?.source ?? "", [store, cell]);
}

const schedulers = new WeakMap<Store, Scheduler>();

/**
 * Tells whether an editor is to be created now, and returns a function that forces it. While a notebook opens, its first editor
 * is created with the page and then one for each paint; later there are few at a time.
 */
function useScheduled(): readonly [turn: boolean, hurry: () => void] {
  const { store } = useClient();
  const [turn, setTurn] = useState(() => store.live());
  useLayoutEffect(() => {
    if (turn) return undefined;
    const scheduler = schedulers.get(store) ?? new Scheduler();
    schedulers.set(store, scheduler);
    return scheduler.schedule(() => setTurn(true));
  }, [store, turn]);
  return [turn, useCallback(() => setTurn(true), [])];
}
