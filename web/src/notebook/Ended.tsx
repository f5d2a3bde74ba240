import { dashboard } from "../app/route.js";
import { Link } from "../app/Link.js";
import { Button } from "../ui/Button.js";
import styles from "./Ended.module.css";
import { usePage } from "./page.js";

const words: Readonly<Record<string, readonly [string, string]>> = {
  "not-found": ["There is no such notebook", "It was deleted, or the address is not complete. If it was yours, it is among the deleted ones."],
  forbidden: ["This notebook is not shared with you", "Ask its owner to share it, then try again."],
  version: ["This page is older than the server", "Reload it to get the new one."],
};

/** Stands where the cells would be when the server does not show them. */
export function Ended({ code, message }: { readonly code: string; readonly message: string }) {
  const { client } = usePage();
  const [title, text] = words[code] ?? ["This notebook cannot be opened", message];
  return (
    <main className={styles.ended}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div className={styles.actions}>
        {code === "version" ? <Button kind="primary" onClick={() => location.reload()}>Reload</Button> : <Button onClick={() => client.reconnect()}>Try again</Button>}
        <Link to={dashboard()}>All notebooks</Link>
      </div>
    </main>
  );
}
