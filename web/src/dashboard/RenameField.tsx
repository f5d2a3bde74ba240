import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { TextField } from "../ui/TextField.js";
import styles from "./RenameField.module.css";

interface Props {
  readonly title: string;
  /** Called once, with the new title if there is one. */
  onDone(title: string | undefined): void;
  /** Called when the focus must return to the row. */
  onFocusBack(): void;
}

/**
 * Edits the title of a notebook: Enter or leaving the field keeps it, Escape does not. An unchanged field changes nothing, even
 * if the title changed meanwhile.
 */
export function RenameField({ title, onDone, onFocusBack }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const opened = useRef(title);
  useEffect(() => input.current?.select(), []);
  const end = (to: string) => {
    if (done.current) return;
    done.current = true;
    const clean = to.trim();
    onDone(clean === "" || clean === opened.current ? undefined : clean);
  };
  const leave = (to: string) => {
    end(to);
    setTimeout(onFocusBack); // once the link is rendered again
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    leave(input.current?.value ?? opened.current);
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave(opened.current);
  };
  return (
    <form className={styles.rename} onSubmit={submit}>
      <TextField
        ref={input}
        autoFocus
        label="New title"
        labelHidden
        maxLength={256}
        defaultValue={title}
        onKeyDown={escape}
        onBlur={(event) => end(event.target.value)}
      />
    </form>
  );
}
