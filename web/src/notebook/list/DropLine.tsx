import { useUI } from "../state/page.js";
import styles from "./DropLine.module.css";

/** The target of dragged cells. */
export function DropLine() {
  const y = useUI((state) => state.drop);
  return y === undefined ? null : <div className={styles.line} style={{ top: y }} role="presentation" />;
}
