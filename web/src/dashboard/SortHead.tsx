import { ArrowDown, ArrowUp } from "lucide-react";
import { type Query, type Sort, sortedBy } from "../routing/query.js";
import { dashboard } from "../routing/route.js";
import { useRouter } from "../routing/router.js";
import styles from "./SortHead.module.css";

interface Props {
  readonly sort: Sort;
  readonly label: string;
  readonly query: Query;
}

/** A column header that sorts by its column. */
export function SortHead({ sort, label, query }: Props) {
  const router = useRouter();
  const sorted = query.sort === sort;
  const up = query.order === "asc";
  return (
    <th role="columnheader" scope="col" aria-sort={sorted ? (up ? "ascending" : "descending") : undefined}>
      <button type="button" className={styles.head} onClick={() => router.replace(dashboard(sortedBy(query, sort)))}>
        {label}
        {sorted && (up ? <ArrowUp aria-hidden="true" /> : <ArrowDown aria-hidden="true" />)}
      </button>
    </th>
  );
}
