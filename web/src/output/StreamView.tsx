import type { OutputRow } from "../core/store.js";
import { type Loading, useArtifactText } from "./useArtifactText.js";
import { ArtifactLine } from "./ArtifactLine.js";
import { shownAtMost, useArtifact } from "./artifacts.js";
import { sizeText } from "./bytes.js";
import { type LogProps, LogView } from "./LogView.js";
import { Outside } from "./Outside.js";

const plain = "text/plain";

interface Props extends Omit<LogProps, "log" | "revision"> {
  readonly row: OutputRow;
}

/**
 * Text that a program printed. What does not fit into the notebook's log is read when somebody wants it: until then
 * its end is there, which is shown from its own end however late it comes.
 */
export function StreamView({ row: { log, revision, value }, live, ...props }: Props) {
  const { [plain]: whole, ...others } = value.artifacts ?? {};
  const address = useArtifact(whole, plain);
  const { loading, load } = useArtifactText(address, shownAtMost);
  const read = loading.kind === "reading" || loading.kind === "read" ? loading : undefined;
  const shown = read?.log ?? log;
  return (
    <>
      {shown && <LogView key={read ? "whole" : "part"} {...props} live={live || (whole && !read)} log={shown} revision={read?.revision ?? revision} />}
      {whole && (
        <ArtifactLine type={plain} address={address} busy={loading.kind === "reading"} verb="Load all" onShow={loading.kind === "read" ? undefined : load}>
          {lineOf(loading, whole.size)}
        </ArtifactLine>
      )}
      <Outside artifacts={others} />
    </>
  );
}

function lineOf(loading: Loading, size: number): string {
  switch (loading.kind) {
    case "failed":
      return `The ${sizeText(size)} of this text could not be loaded: ${loading.reason}.`;
    case "read":
      return loading.cut ? `The first ${sizeText(loading.bytes)} of ${sizeText(size)} are shown. The file has all.` : `All ${sizeText(size)} are shown.`;
    default:
      return `This text has ${sizeText(size)}, of which the end is shown.`;
  }
}
