import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./IconButton.js";

interface Props {
  readonly label: string;
  /** Returns the text to copy. */
  text(): string;
  /** Copies content other than text. */
  copy?: (() => Promise<void>) | undefined;
}

const icons = { idle: <Copy />, copied: <Check />, failed: <Copy /> } as const;

/** Copies content, and shows whether that succeeded. */
export function CopyButton({ label, text, copy }: Props) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const onClick = () => {
    const done = copy ? copy() : navigator.clipboard.writeText(text());
    done.then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  const said = { idle: label, copied: "Copied", failed: "The browser did not allow it" }[state];
  return <IconButton label={said} icon={icons[state]} onClick={onClick} />;
}
