import { useEffect } from "react";
import { sizeText } from "../lib/sizeText.js";
import { ArtifactLine } from "./artifact/ArtifactLine.js";
import { shownAtMost, useArtifact } from "./artifact/artifacts.js";
import { Outside } from "./artifact/Outside.js";
import { type Loading, useArtifactText } from "./artifact/useArtifactText.js";
import type { ShownRow } from "./joined.js";
import { type LogProps, LogView } from "./log/LogView.js";

const plain = "text/plain";

interface Props extends Omit<LogProps, "log" | "revision"> {
  readonly row: ShownRow;
}

/**
 * Text printed by a program. The part that does not fit into the notebook's log is loaded on demand or for a search; until then
 * its beginning and its end are shown.
 */
export function StreamView({ row: { log, revision, value, before }, ...props }: Props) {
  const { [plain]: whole, ...others } = value.artifacts ?? {};
  const address = useArtifact(whole, plain);
  const { loading, load } = useArtifactText(address, shownAtMost, before);
  const hasMore = loading.kind === "read" || (loading.kind === "reading" && loading.log.length >= (log?.length ?? 0));
  const read = hasMore ? loading : undefined; // the shown text never becomes shorter
  const shown = read?.log ?? log;
  const { searching } = props;
  const isIdle = loading.kind === "idle";
  useEffect(() => {
    if (searching && whole && isIdle) load();
  }, [searching, whole, isIdle, load]);
  return (
    <>
      {shown && <LogView {...props} log={shown} revision={read ? read.revision + revision : revision} />}
      {whole && (
        <ArtifactLine
          type={plain}
          address={address}
          link={false}
          busy={loading.kind === "reading"}
          verb="Load all"
          onShow={loading.kind === "read" ? undefined : load}
        >
          {lineOf(loading, whole.size, before ?? "")}
        </ArtifactLine>
      )}
      <Outside artifacts={others} />
    </>
  );
}

function lineOf(loading: Loading, stored: number, before: string): string {
  const first = new Blob([before]).size;
  const size = first + stored;
  switch (loading.kind) {
    case "failed":
      return `The ${sizeText(size)} of this text could not be loaded: ${loading.reason}.`;
    case "read":
      return loading.cut
        ? `The first ${sizeText(first + loading.bytes)} of ${sizeText(size)} are shown. The file has all.`
        : `All ${sizeText(size)} are shown.`;
    default:
      return `This text has ${sizeText(size)}, of which a part is shown.`;
  }
}
