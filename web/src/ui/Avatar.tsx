import { Bot, Cpu, KeyRound } from "lucide-react";
import { printable } from "../lib/printable.js";
import styles from "./Avatar.module.css";
import { initials } from "./initials.js";

interface Props {
  readonly name: string;
  readonly color: string;
  readonly kind: "person" | "runtime" | "assistant" | "key";
  /** It is at work. */
  readonly busy?: boolean;
}

const icons = { runtime: <Cpu />, assistant: <Bot />, key: <KeyRound /> } as const;

/** The avatar of a person or a program. */
export function Avatar({ name, color, kind, busy = false }: Props) {
  const shown = printable(name, "Somebody");
  const label = busy ? `${shown}, busy` : shown;
  return (
    <span className={styles.avatar} role="img" aria-label={label} title={label} data-kind={kind} data-busy={busy || undefined} style={{ color }}>
      {kind === "person" ? initials(shown) : icons[kind]}
    </span>
  );
}
