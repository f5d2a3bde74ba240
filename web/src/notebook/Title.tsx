import { type KeyboardEvent, useState } from "react";
import { useNotebook } from "../core/hooks.js";
import { Name } from "../ui/Name.js";
import { attempt } from "./attempt.js";
import { usePage } from "./page.js";
import { useMay } from "./role.js";
import styles from "./Title.module.css";

/** The notebook's title, which a click lets one change. */
export function Title() {
  const title = useNotebook()?.title ?? "";
  const mayEdit = useMay("edit");
  const [editing, setEditing] = useState(false);
  if (editing) return <TitleField title={title} onDone={() => setEditing(false)} />;
  return (
    <h1 className={styles.title}>
      {mayEdit ? (
        <button type="button" className={styles.button} title="Rename" onClick={() => setEditing(true)}>
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

/** Enter and leaving the field keep what was typed, Escape does not. */
function TitleField({ title, onDone }: { readonly title: string; onDone(): void }) {
  const page = usePage();
  const [text, setText] = useState(title);
  const keep = (): void => {
    onDone();
    const trimmed = text.trim();
    if (trimmed !== title) void attempt(page, async () => void (await page.client.command({ kind: "setTitle", title: trimmed })));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") keep();
    if (event.key === "Escape") onDone();
  };
  return (
    <input className={styles.field} aria-label="Title" value={text} maxLength={200} autoFocus
      onFocus={(event) => event.target.select()} onChange={(event) => setText(event.target.value)} onBlur={keep} onKeyDown={onKeyDown} />
  );
}
