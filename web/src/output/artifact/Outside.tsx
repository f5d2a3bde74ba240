import type { Artifact } from "../../core/event.js";
import { sizeText } from "../../lib/sizeText.js";
import { ArtifactLine } from "./ArtifactLine.js";
import { useArtifact } from "./artifacts.js";

/** Lists the parts of an output that are stored outside the notebook and not shown, for download. */
export function Outside({ artifacts = {} }: { readonly artifacts?: Readonly<Record<string, Artifact>> | undefined }) {
  return Object.entries(artifacts).map(([type, artifact]) => <One key={type} type={type} artifact={artifact} />);
}

function One({ type, artifact }: { readonly type: string; readonly artifact: Artifact }) {
  return (
    <ArtifactLine type={type} address={useArtifact(artifact, type)}>
      {type}, {sizeText(artifact.size)}
    </ArtifactLine>
  );
}
