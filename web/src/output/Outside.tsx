import type { Artifact } from "../core/event.js";
import { sizeText } from "./bytes.js";
import styles from "./TypesView.module.css";

/** Names what of an output lies outside the notebook. */
export function Outside({ artifacts = {} }: { readonly artifacts?: Readonly<Record<string, Artifact>> | undefined }) {
  return Object.entries(artifacts).map(([type, { size }]) => (
    <p key={type} className={styles.empty}>
      {type}, {sizeText(size)}, not loaded
    </p>
  ));
}
