import { ago, exactly } from "./ago.js";

interface Props {
  readonly time: number;
  readonly now: number;
}

/** How long ago something was, and when exactly for those who point at it. */
export function When({ time, now }: Props) {
  return <time title={exactly(time)}>{ago(time, now)}</time>;
}
