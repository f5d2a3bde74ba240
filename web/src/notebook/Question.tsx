import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Input } from "../core/view.js";
import { Button } from "../ui/Button.js";
import { attempt } from "./attempt.js";
import { type Page, usePage } from "./page.js";
import styles from "./Question.module.css";

interface Props {
  readonly input: Input;
  /** The element of the cell: if it has the focus, the field takes it. */
  readonly group: RefObject<HTMLElement | null>;
  readonly readOnly: boolean;
}

/** Asks for the line of text that a program waits for. */
export function Question({ input, group, readOnly }: Props) {
  const page = usePage();
  const { prompt, secret = false } = input;
  const [value, setValue] = useState("");
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const label = prompt?.trim() || "The program asks for a line of text";
  useEffect(() => {
    page.desk.say(`A program asks: ${label}`);
    if (document.activeElement === group.current) field.current?.focus({ preventScroll: true });
  }, [page, label, group]);

  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    if (document.activeElement === field.current) group.current?.focus({ preventScroll: true });
    void attempt(page, () => answer(page, input, value)).then(() => setSending(false));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") group.current?.focus();
  };
  return (
    <form className={styles.question} onSubmit={send} onKeyDown={onKeyDown}>
      <label className={styles.label}>
        <span>{label}</span>
        <input ref={field} className={styles.field} type={secret ? "password" : "text"} value={value} onChange={(event) => setValue(event.target.value)} readOnly={readOnly || sending} autoComplete="off" spellCheck={false} />
      </label>
      {!readOnly && (
        <Button type="submit" disabled={sending}>
          Send
        </Button>
      )}
    </form>
  );
}

/** A secret is told to the runtime alone, so that no event holds it. */
async function answer({ client }: Page, { id, secret }: Input, value: string): Promise<void> {
  if (secret) await client.call("answer", { input: id, value });
  else await client.command({ kind: "answerInput", input: id, value });
}
