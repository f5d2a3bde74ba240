import { useMemo } from "react";
import type { CellID } from "../../core/event.js";
import { usePeers } from "../../core/hooks.js";
import { people } from "../../core/people.js";
import { Avatar } from "../../ui/Avatar.js";
import styles from "./CellPeople.module.css";

/** The other users in a cell. */
export function CellPeople({ id }: { readonly id: CellID }) {
  const peers = usePeers();
  const here = useMemo(() => people(peers).filter(({ kind, cells }) => kind !== "runtime" && cells.includes(id)), [peers, id]);
  if (here.length === 0) return null;
  return (
    <ul className={styles.people} aria-label="Also in this cell">
      {here.slice(0, 3).map(({ actor, name, color, kind }) => (
        <li key={actor}>
          <Avatar name={name} color={color} kind={kind} />
        </li>
      ))}
    </ul>
  );
}
