import { useRun } from "../core/hooks.js";
import { TallBox } from "../ui/TallBox.js";
import { DataView } from "./DataView.js";
import { ErrorView } from "./error/ErrorView.js";
import type { ShownRow } from "./joined.js";
import { labelOf } from "./labelOf.js";
import { Markdown } from "./markdown/Markdown.js";
import { StreamView } from "./StreamView.js";
import { useStopped } from "./useStopped.js";

interface Props {
  readonly row: ShownRow;
  readonly size: "capped" | "all" | "full";
  readonly searching: boolean;
  onSearchEnd(): void;
  onTall?: ((tall: boolean) => void) | undefined;
}

/** The content of an output. */
export function OutputBody({ row, ...props }: Props) {
  const { value, log } = row;
  const state = useRun(row.run)?.state;
  const stopped = useStopped(row);
  const label = stopped ? "Stopped" : labelOf(value);
  switch (value.kind) {
    case "stream":
      return <StreamView {...props} row={row} label={label} tone={value.stream === "stderr" ? "error" : undefined} live={state === "started"} />;
    case "error":
      return (
        <TallBox size={props.size} label={label} onTall={props.onTall}>
          <ErrorView cell={row.cell} error={value.error ?? { name: "Error", message: "" }} stopped={stopped} />
        </TallBox>
      );
    case "markdown": // what an assistant says is read whole
      return <Markdown source={log?.text() ?? ""} />;
    default: // whatever a later version adds has data, or is shown as something that cannot be
      return <DataView {...props} id={row.id} output={value} label={label} />;
  }
}
