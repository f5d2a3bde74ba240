import { ArrowUpDown } from "lucide-react";
import { type Query, sortedBy } from "../routing/query.js";
import { dashboard } from "../routing/route.js";
import { useRouter } from "../routing/router.js";
import { Button } from "../ui/Button.js";
import { Menu, type MenuItem } from "../ui/Menu.js";
import styles from "./SortMenu.module.css";
import { sorts } from "./sorts.js";

/** Chooses the order of the notebooks where the list has no column headers. */
export function SortMenu({ query }: { readonly query: Query }) {
  const router = useRouter();
  const go = (to: Query) => router.replace(dashboard(to));
  const items: readonly MenuItem[] = [
    ...sorts.map(({ sort, label }) => ({
      kind: "item" as const,
      label,
      checked: sort === query.sort,
      onSelect: () => sort !== query.sort && go(sortedBy(query, sort)),
    })),
    { kind: "separator" },
    { kind: "item", label: "The other way around", icon: <ArrowUpDown />, onSelect: () => go(sortedBy(query, query.sort)) },
  ];
  const label = sorts.find(({ sort }) => sort === query.sort)?.label ?? "";
  return (
    <Menu
      label="Sort by"
      trigger={
        <Button className={styles.sort} icon={<ArrowUpDown />} aria-label={`Sort by: ${label}`}>
          {label}
        </Button>
      }
      items={items}
    />
  );
}
