import { Download } from "lucide-react";
import type { Output } from "../core/event.js";
import { Button } from "../ui/Button.js";
import { blobOf, fileName, save, sizeText } from "./bytes.js";
import styles from "./TypesView.module.css";

interface Props {
  readonly output: Output;
}

/** What an output has, where none of it can be shown. */
export function TypesView({ output: { data = {}, artifacts = {} } }: Props) {
  const types = Object.entries(data);
  const outside = Object.entries(artifacts);
  if (types.length + outside.length === 0) return <p className={styles.empty}>This output is empty.</p>;
  return (
    <table className={styles.types}>
      <caption>{types.length > 0 ? "Nothing here can show this output." : "This output is kept outside the notebook."}</caption>
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
        {outside.map(([type, { size }]) => (
          <tr key={`outside ${type}`}>
            <td>{type}</td>
            <td>{sizeText(size)}</td>
            <td>not loaded</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
