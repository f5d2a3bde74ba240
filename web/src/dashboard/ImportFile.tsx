import type { ReactNode } from "react";
import { Check, CircleAlert, Ellipsis, Upload } from "lucide-react";
import { assertNever } from "../lib/assert.js";
import { Link } from "../routing/Link.js";
import { notebook } from "../routing/route.js";
import { Name } from "../ui/Name.js";
import styles from "./ImportFile.module.css";
import type { ImportRow, ImportState } from "./imports.js";

const icons = { waiting: <Ellipsis />, sending: <Upload />, done: <Check />, failed: <CircleAlert /> } as const;

/** A file that is being imported. */
export function ImportFile({ row: { name, state } }: { readonly row: ImportRow }) {
  return (
    <li className={styles.file} data-state={state.kind}>
      <span className={styles.icon} aria-hidden="true">
        {icons[state.kind]}
      </span>
      <Name text={name} instead="A file without a name" />
      <span className={styles.state}>{describe(state)}</span>
    </li>
  );
}

function describe(state: ImportState): ReactNode {
  switch (state.kind) {
    case "waiting":
      return "waiting";
    case "sending":
      return "on its way";
    case "failed":
      return state.message;
    case "done":
      return <Link to={notebook(state.notebook.id, state.notebook.title)}>Open</Link>;
    default:
      return assertNever(state);
  }
}
