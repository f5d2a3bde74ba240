import { useRef, useState } from "react";
import { Button } from "../ui/Button.js";
import styles from "./Notice.module.css";

interface Props {
  readonly error: unknown;
  /** The stack of components in which it happened. */
  readonly where: string;
}

/** The page that replaces a failed one. */
export function ErrorPage({ error, where }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const [copied, setCopied] = useState(false);
  const text = describe(error, where);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      if (details.current) details.current.open = true; // for copying by hand
    }
  };
  return (
    <main className={styles.page}>
      <h1>This page broke</h1>
      <p>Your notebooks are safe: what you did is stored as you do it. Reload to go on.</p>
      <p role="alert">{messageOf(error)}</p>
      <div className={styles.actions}>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload
        </Button>
        <Button onClick={() => void copy()}>{copied ? "Copied" : "Copy details"}</Button>
        <a href="/">Your notebooks</a>
      </div>
      <details ref={details}>
        <summary>Details</summary>
        <pre tabIndex={0}>{text}</pre>
      </details>
    </main>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}

function describe(error: unknown, where: string): string {
  const stack = error instanceof Error && error.stack !== undefined ? error.stack : String(error);
  return [messageOf(error), `at ${location.pathname}`, navigator.userAgent, stack, where].filter(Boolean).join("\n\n");
}
