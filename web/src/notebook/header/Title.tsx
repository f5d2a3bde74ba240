import { type KeyboardEvent, useRef, useState } from "react";
import { useNotebook } from "../../core/hooks.js";
import { Name } from "../../ui/Name.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./Title.module.css";

/** The notebook's title; a click edits it. */
export function Title() {
  const title = useNotebook()?.title ?? "";
  const mayRename = useMay("manage");
  const [editing, setEditing] = useState(false);
  const back = useRef(false);
  const end = (byKey: boolean): void => {
    back.current = byKey;
    setEditing(false);
  };
  const focusBack = (button: HTMLButtonElement | null): void => {
    if (button && back.current) button.focus();
    back.current = false;
  };
  if (editing) return <TitleField title={title} onDone={end} />;
  return (
    <h1 className={styles.title}>
      {mayRename ? (
        <button ref={focusBack} type="button" className={styles.button} title="Rename" onClick={() => setEditing(true)}>
          <Name text={title} instead="Untitled" />
        </button>
      ) : (
        <span className={styles.still}>
          <Name text={title} instead="Untitled" />
        </span>
      )}
    </h1>
  );
}

/**
 * Enter and leaving the field keep the text, Escape does not. An empty or unchanged field changes nothing, even if the title
 * changed meanwhile.
 */
function TitleField({ title, onDone }: { readonly title: string; onDone(byKey: boolean): void }) {
  const page = usePage();
  const [opened] = useState(title);
  const [text, setText] = useState(title);
  const keep = (byKey: boolean): void => {
    onDone(byKey);
    const trimmed = text.trim();
    if (trimmed !== "" && trimmed !== opened) void attempt(page, async () => void (await page.client.command({ kind: "setTitle", title: trimmed })));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault(); // else it would press the button, which has the focus then
    if (event.key === "Enter") keep(true);
    else onDone(true);
  };
  return (
    <input
      className={styles.field}
      aria-label="Title"
      value={text}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => keep(false)}
      onKeyDown={onKeyDown}
    />
  );
}
