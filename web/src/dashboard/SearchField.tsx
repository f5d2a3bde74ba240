import type { KeyboardEvent } from "react";
import { Search } from "lucide-react";
import { maxSearch, type Query } from "../routing/query.js";
import { dashboard } from "../routing/route.js";
import { useRouter } from "../routing/router.js";
import { TextField } from "../ui/TextField.js";
import styles from "./SearchField.module.css";

/** Searches titles while the user types. */
export function SearchField({ query }: { readonly query: Query }) {
  const router = useRouter();
  const search = (search: string) => router.replace(dashboard({ ...query, search }));
  const clear = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || query.search === "") return;
    event.preventDefault();
    search("");
  };
  return (
    <TextField
      className={styles.search}
      type="search"
      label="Search titles"
      labelHidden
      placeholder="Search titles"
      icon={<Search />}
      title="Search titles (/)"
      aria-keyshortcuts="/"
      maxLength={maxSearch}
      value={query.search}
      onChange={(event) => search(event.target.value)}
      onKeyDown={clear}
    />
  );
}
