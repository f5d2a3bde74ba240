import { useMemo } from "react";
import { Log } from "../../core/log.js";
import { type LogProps, LogView } from "./LogView.js";

interface Props extends Omit<LogProps, "log" | "revision"> {
  readonly text: string;
}

/** Complete text. */
export function TextView({ text, ...props }: Props) {
  const log = useMemo(() => new Log(text), [text]);
  return <LogView {...props} log={log} revision={0} />;
}
