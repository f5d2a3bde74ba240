import { Link } from "../routing/Link.js";
import type { Query } from "../routing/query.js";
import { dashboard } from "../routing/route.js";
import styles from "./Tabs.module.css";

const tabs = [
  { label: "All", deleted: false },
  { label: "Deleted", deleted: true },
] as const;

/** Switches between notebooks and deleted notebooks. */
export function Tabs({ query }: { readonly query: Query }) {
  return (
    <nav className={styles.tabs} aria-label="Which notebooks">
      {tabs.map(({ label, deleted }) => (
        <Link key={label} className={styles.tab} to={dashboard({ ...query, deleted })} aria-current={deleted === query.deleted ? "page" : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
