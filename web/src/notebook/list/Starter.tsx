import { type FormEvent, type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../ui/Button.js";
import { insert } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import type { ActionName } from "../state/keymap.js";
import { isTypedIn } from "../state/lostFocus.js";
import { type Page, usePage } from "../state/page.js";
import { editSource, replacing } from "../state/source.js";
import styles from "./Starter.module.css";

interface Props {
  /** Called when typing has begun here, and when the text has become a cell. */
  readonly onStart: (starting: boolean) => void;
  readonly readOnly: boolean;
  /** The cells were deleted here, and a key may restore them: the field must not swallow it. */
  readonly emptied: boolean;
}

/** Stands for the first cell of an empty notebook. The first typed key turns it into a real one. */
export function Starter({ onStart, readOnly, emptied }: Props) {
  const page = usePage();
  const field = useRef<HTMLTextAreaElement>(null);
  const begun = useRef(false);
  const then = useRef<ActionName>(undefined);
  useLayoutEffect(() => {
    if (!emptied && !isTypedIn(document.activeElement)) field.current?.focus(); // others may have deleted all cells while the user types elsewhere
  }, [emptied]);
  const begin = (): void => {
    if (begun.current) return;
    begun.current = true;
    onStart(true);
    void attempt(page, () => become(page, field, then, () => flushSync(() => onStart(false)))).then(() => {
      begun.current = false;
    });
  };
  const onInput = (event: FormEvent<HTMLTextAreaElement>): void => {
    event.currentTarget.rows = event.currentTarget.value.split("\n").length;
    if (!isComposing(event.nativeEvent)) begin();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (leaves(page, event)) return;
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)) return;
    event.preventDefault();
    then.current = event.shiftKey ? "runNext" : event.altKey ? "runInsert" : "runHere";
    begin();
  };
  if (readOnly) return <p className={styles.nothing}>This notebook is empty.</p>;
  return (
    <div className={styles.starter}>
      <div className={styles.cell}>
        <span className={styles.count} aria-hidden>
          [ ]
        </span>
        <textarea
          ref={field}
          className={styles.field}
          aria-label="First cell"
          placeholder={touched() ? "Type Python here, then tap Run" : "Type Python here and press Shift+Enter"}
          rows={1}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          onInput={onInput}
          onCompositionEnd={begin}
          onKeyDown={onKeyDown}
        />
      </div>
      <p className={styles.other}>
        or <Button onClick={() => void attempt(page, () => insert(page, "below", "markdown", undefined, "edit"))}>write text</Button>
      </p>
    </div>
  );
}

/** Leaves the field with Escape, and undoes the last command while the field is empty. Reports whether the key was for that. */
function leaves(page: Page, event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const field = event.currentTarget;
  if (event.nativeEvent.isComposing || field.value !== "") return false;
  const undoes = event.key.toLowerCase() === "z" && (page.mac ? event.metaKey : event.ctrlKey);
  if (event.key !== "Escape" && !undoes) return false;
  event.preventDefault();
  event.stopPropagation();
  if (undoes) page.act(event.shiftKey ? "redo" : "undo");
  else field.closest("main")?.focus();
  return true;
}

/** Whether the pointer is a finger, so there are no keys to press. */
function touched(): boolean {
  return window.matchMedia?.("(pointer: coarse)").matches ?? false;
}

/** Whether a composition is under way. */
function isComposing(event: Event): boolean {
  return event instanceof InputEvent && event.isComposing;
}

/** Creates a cell from the typed text, which may continue meanwhile, and then moves the caret there. */
async function become(
  page: Page,
  field: { readonly current: HTMLTextAreaElement | null },
  then: { readonly current: ActionName | undefined },
  onEnd: () => void,
): Promise<void> {
  const { client, ui } = page;
  try {
    const { cells } = await client.command({ kind: "addCell", cellKind: "code" });
    const cell = cells?.[0];
    if (cell === undefined) return;
    const typed = (): string => field.current?.value ?? "";
    while (ui.editor(cell)?.source() !== typed()) {
      const text = typed();
      await editSource(client, cell, "starter", (source) => (source === text ? undefined : replacing(0, source.length, text)));
      await new Promise((resolve) => setTimeout(resolve)); // until the editor has it too
    }
    const caret = field.current?.selectionStart ?? 0;
    const before = typed().slice(0, caret);
    const at = before === typed() ? "end" : { line: before.split("\n").length };
    onEnd();
    ui.go(cell, "edit", at);
  } finally {
    onEnd();
  }
  if (then.current !== undefined) page.act(then.current);
}
