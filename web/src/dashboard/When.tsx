import { ago, exactly } from "./ago.js";

interface Props {
  readonly time: number;
  readonly now: number;
}

/** A relative time, with the exact time in its tooltip. */
export function When({ time, now }: Props) {
  return <time title={exactly(time)}>{ago(time, now)}</time>;
}
