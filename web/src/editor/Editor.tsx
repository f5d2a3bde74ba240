import { type Ref, useCallback, useImperativeHandle, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import type { CellID } from "../core/event.js";
import { useClient } from "../core/hooks.js";
import { Store } from "../core/store.js";
import { CellEditor, type Events, type FocusAt } from "./cellEditor.js";
import styles from "./Editor.module.css";
import type { Shape } from "./shape.js";

/** EditorHandle is what the page may do with an editor. */
export interface EditorHandle {
  focus(at: FocusAt): void;
  selections(): readonly { readonly anchor: number; readonly head: number }[];
  source(): string;
  /** Resolves when all that was typed is with the core: a run must wait for it. */
  flush(): Promise<void>;
}

interface Props extends Shape, Omit<Events, "onTrouble"> {
  readonly cell: CellID;
  readonly handle: Ref<EditorHandle>;
}

/** The editor of a cell's source. Its keymap must be the same one each time, or the editor is set up anew. */
export function Editor({ handle, ...props }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [trouble, setTrouble] = useState<string>();
  const editor = useEditor(host, { ...props, onTrouble: setTrouble });
  const source = useSource(props.cell);
  const live = useLive();
  useImperativeHandle(handle, () => ({
    focus: (at) => editor.current?.focus(at),
    selections: () => editor.current?.selections ?? [],
    source: () => editor.current?.source ?? source(),
    flush: async () => editor.current?.flush(),
  }), [editor, source]);
  return (
    <>
      <div className={styles.editor} ref={host} />
      {!live && <pre className={styles.first}>{source() || "\u200b"}</pre>}
      {trouble !== undefined && <p className={styles.trouble} role="alert">{trouble}</p>}
    </>
  );
}

/** Keeps an editor in an element, for as long as the cell has a text. */
function useEditor(host: React.RefObject<HTMLDivElement | null>, props: Shape & Events & { readonly cell: CellID }): React.RefObject<CellEditor | null> {
  const client = useClient();
  const latest = useRef(props);
  const editor = useRef<CellEditor>(null);
  const { cell } = props;
  const loaded = useLoaded(cell);
  const live = useLive();
  useLayoutEffect(() => {
    latest.current = props;
    editor.current?.reshape(props);
  });
  useLayoutEffect(() => {
    const text = client.store.text(cell);
    if (!loaded || !live || !text || !host.current) return;
    const made = new CellEditor(client, cell, text, host.current, latest.current, () => latest.current);
    editor.current = made;
    return () => {
      editor.current = null;
      made.destroy();
    };
  }, [client, cell, loaded, live, host]);
  return editor;
}

/** Whether the core has taken over: until then the text is shown as it is, for an editor could do nothing with what is typed. */
function useLive(): boolean {
  const { store } = useClient();
  const listen = useCallback((f: () => void) => store.listen("live", f), [store]);
  return useSyncExternalStore(listen, () => store.live());
}

/** Whether the cell's text has come. Unlike the text, that does not change with each key. */
function useLoaded(cell: CellID): boolean {
  const { store } = useClient();
  const listen = useCallback((f: () => void) => store.listen(Store.textKey(cell), f), [store, cell]);
  return useSyncExternalStore(listen, () => store.text(cell) !== undefined);
}

function useSource(cell: CellID): () => string {
  const { store } = useClient();
  return useCallback(() => store.text(cell)?.source ?? "", [store, cell]);
}
