import { type FocusEvent, type FormEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { CellID } from "../../core/event.js";
import type { Input } from "../../core/view.js";
import { Button } from "../../ui/Button.js";
import { attempt } from "../state/attempt.js";
import { type Page, usePage } from "../state/page.js";
import styles from "./Question.module.css";

interface Props {
  readonly cell: CellID;
  readonly input: Input;
  /** The program no longer asks. */
  readonly over: boolean;
  /** The element of the cell: if it has the focus, the field takes it. */
  readonly group: RefObject<HTMLElement | null>;
  readonly readOnly: boolean;
  onEnter(): void;
  onLeave(): void;
}

/** Asks for the line of text that a program waits for. */
export function Question({ cell, input, over, group, readOnly, onEnter, onLeave }: Props) {
  const page = usePage();
  const { prompt, secret = false } = input;
  const [value, setValue] = useState("");
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const label = prompt?.trim() || "The program asks for a line of text";
  useEffect(() => {
    page.ui.say(`A program asks: ${label}`);
    if (document.activeElement === group.current || page.ui.awaits(cell)) field.current?.focus({ preventScroll: true });
  }, [page, cell, label, group]);

  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (over) return group.current?.focus({ preventScroll: true });
    if (sending) return;
    setSending(true);
    if (document.activeElement === field.current) group.current?.focus({ preventScroll: true });
    void attempt(page, () => answer(page, input, value)).then(() => setSending(false));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") group.current?.focus();
  };
  const onBlur = (event: FocusEvent<HTMLInputElement>): void => {
    if (document.activeElement === event.currentTarget) return; // the window lost the focus, and returns it to the field
    onLeave();
    if (over && !secret && value !== "") offerText(page, value);
  };
  return (
    <form className={styles.question} onSubmit={send} onKeyDown={onKeyDown}>
      <label className={styles.label}>
        <span>{label}</span>
        <input
          ref={field}
          className={styles.field}
          type={secret ? "password" : "text"}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          readOnly={readOnly || sending}
          autoComplete="off"
          spellCheck={false}
          onFocus={onEnter}
          onBlur={onBlur}
        />
      </label>
      {over && (
        <p className={styles.over} role="status">
          The program no longer waits for this answer.
        </p>
      )}
      {!readOnly && !over && (
        <Button type="submit" disabled={sending}>
          Send
        </Button>
      )}
    </form>
  );
}

/** Offers an answer that is no longer waited for. */
function offerText(page: Page, text: string): void {
  const copy = async (): Promise<void> => navigator.clipboard.writeText(text);
  page.note({ text: "Your answer was not sent: the program no longer waits for it.", action: { label: "Copy it", onSelect: () => void attempt(page, copy) } });
}

/** A secret is sent to the runtime alone, so no event contains it. */
async function answer({ client }: Page, { id, secret }: Input, value: string): Promise<void> {
  if (secret) await client.call("answer", { input: id, value });
  else await client.command({ kind: "answerInput", input: id, value });
}
