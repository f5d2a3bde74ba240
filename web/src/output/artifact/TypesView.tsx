import { Download } from "lucide-react";
import type { Artifact, Output } from "../../core/event.js";
import { save } from "../../lib/save.js";
import { sizeText } from "../../lib/sizeText.js";
import { Button } from "../../ui/Button.js";
import { blobOf, fileName } from "../bundle/bytes.js";
import { useArtifact } from "./artifacts.js";
import styles from "./TypesView.module.css";

interface Props {
  readonly output: Output;
}

/** The types of an output without a showable one. */
export function TypesView({ output: { data = {}, artifacts = {} } }: Props) {
  const types = Object.entries(data);
  const outside = Object.entries(artifacts);
  if (types.length + outside.length === 0) return <p className={styles.empty}>This output is empty.</p>;
  return (
    <table className={styles.types}>
      <caption>No viewer for this type.</caption>
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">Size</th>
          <th scope="col">File</th>
        </tr>
      </thead>
      <tbody>
        {types.map(([type, value]) => (
          <tr key={type}>
            <td>{type}</td>
            <td>{sizeText(blobOf(type, value).size)}</td>
            <td>
              <Button icon={<Download />} aria-label={`Download ${type}`} onClick={() => save(blobOf(type, value), fileName(type))}>
                Download
              </Button>
            </td>
          </tr>
        ))}
        {outside.map(([type, artifact]) => (
          <StoredRow key={`outside ${type}`} type={type} artifact={artifact} />
        ))}
      </tbody>
    </table>
  );
}

function StoredRow({ type, artifact }: { readonly type: string; readonly artifact: Artifact }) {
  const address = useArtifact(artifact, type);
  return (
    <tr>
      <td>{type}</td>
      <td>{sizeText(artifact.size)}</td>
      <td>
        {address === undefined ? (
          "not here"
        ) : (
          <a href={address} download={fileName(type)} aria-label={`Download ${type}`}>
            Download
          </a>
        )}
      </td>
    </tr>
  );
}
