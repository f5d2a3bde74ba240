import { shorten } from "../lib/printable.js";
import { Link } from "../routing/Link.js";
import type { Query } from "../routing/query.js";
import { dashboard } from "../routing/route.js";
import { ImportButton } from "./ImportButton.js";
import { NewButton } from "./NewButton.js";
import styles from "./State.module.css";
import type { Actions } from "./useActions.js";

interface Props {
  readonly query: Query;
  readonly actions: Actions;
}

/** The empty list of notebooks, with a next step. */
export function EmptyState({ query, actions }: Props) {
  if (query.search.trim() !== "") {
    return (
      <div className={styles.state}>
        <p>
          No {query.deleted ? "deleted notebook" : "notebook"} has <q>{shorten(query.search.trim(), 60)}</q> in its title.
        </p>
        <Link to={dashboard({ ...query, search: "" })}>Show all</Link>
      </div>
    );
  }
  if (query.deleted) {
    return (
      <div className={styles.state}>
        <p>Nothing is deleted. A notebook that you delete waits here, and can be restored.</p>
      </div>
    );
  }
  return (
    <div className={styles.state}>
      <h2>Your first notebook</h2>
      <p>Quire is a notebook of text, code and results that people and programs work on together, at the same time.</p>
      <div className={styles.actions}>
        <NewButton onClick={actions.create} />
        <ImportButton onFiles={actions.import} />
      </div>
      <p className={styles.drop}>Or drop .ipynb, .py or .md files anywhere on this page.</p>
    </div>
  );
}
