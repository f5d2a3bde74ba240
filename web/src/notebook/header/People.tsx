import { useMemo } from "react";
import { usePeers } from "../../core/hooks.js";
import { people } from "../../core/people.js";
import { counted } from "../../lib/counted.js";
import { Avatar } from "../../ui/Avatar.js";
import { VisuallyHidden } from "../../ui/VisuallyHidden.js";
import styles from "./People.module.css";

/** The most avatars; further people are counted. */
const most = 4;

/** The people and programs in the notebook. */
export function People() {
  const peers = usePeers();
  const here = useMemo(() => people(peers), [peers]);
  const more = here.length - most;
  if (here.length === 0) return null;
  return (
    <ul className={styles.people} aria-label={`${counted(here.length, "participant")} here`}>
      {here.slice(0, most).map(({ actor, name, color, kind, busy, self }) => (
        <li key={actor}>
          <Avatar name={name} color={color} kind={kind} busy={busy} />
          {self && <VisuallyHidden>(you)</VisuallyHidden>}
        </li>
      ))}
      {more > 0 && (
        <li
          className={styles.more}
          title={here
            .slice(most)
            .map((person) => person.name)
            .join(", ")}
        >
          +{more}
        </li>
      )}
    </ul>
  );
}
