import { Link } from "../routing/Link.js";
import { dashboard } from "../routing/route.js";
import { useDocumentTitle } from "../routing/useDocumentTitle.js";
import styles from "./Notice.module.css";

/** The page of an unknown address. */
export function MissingPage() {
  useDocumentTitle("Nothing here");
  return (
    <main className={styles.page} tabIndex={-1}>
      <h1>There is nothing here</h1>
      <p>The address may be cut off, or be of something that is gone.</p>
      <Link to={dashboard()}>Your notebooks</Link>
    </main>
  );
}
