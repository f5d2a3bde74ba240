import { useRef } from "react";
import type { Listing } from "../core/http.js";
import { Link } from "../routing/Link.js";
import { notebook as routeOf } from "../routing/route.js";
import { Name } from "../ui/Name.js";
import styles from "./NotebookRow.module.css";
import table from "./NotebookTable.module.css";
import { RenameField } from "./RenameField.js";
import { RestoreButton } from "./RestoreButton.js";
import { RowMenu } from "./RowMenu.js";
import type { Actions } from "./useActions.js";
import { When } from "./When.js";

interface Props {
  readonly notebook: Listing;
  /** The notebook belongs to another user. */
  readonly foreign: boolean;
  readonly now: number;
  readonly actions: Actions;
  /** Its title is being edited. */
  readonly renaming: boolean;
  onRenaming(on: boolean): void;
  /** Called when the focus enters the row or its menu. */
  onFocus(id: string): void;
}

/** A notebook in the list. */
export function NotebookRow({ notebook, foreign, now, actions, renaming, onRenaming, onFocus }: Props) {
  const link = useRef<HTMLAnchorElement>(null);
  const { id, title, owner, created, updated, deleted, cells } = notebook;
  const rename = (to: string | undefined) => {
    onRenaming(false);
    if (to !== undefined) actions.rename(notebook, to);
  };
  return (
    <tr role="row" className={table["row"]} data-notebook={id} data-part={id} onFocus={() => onFocus(id)}>
      <th role="rowheader" scope="row" className={styles.title}>
        {renaming && <RenameField title={title} onDone={rename} onFocusBack={() => link.current?.focus()} />}
        {deleted === undefined ? (
          <Link ref={link} className={styles.link} hidden={renaming} to={routeOf(id, title)} data-row>
            <Name text={title} />
          </Link>
        ) : (
          <Name text={title} />
        )}
        {foreign && <Name className={styles.more} text={`by ${owner}`} />}
        {cells !== undefined && <span className={styles.more}>{cells === 1 ? "1 cell" : `${cells} cells`}</span>}
        {deleted !== undefined && (
          <span className={styles.more}>
            Deleted <When time={deleted} now={now} />
          </span>
        )}
      </th>
      <td role="cell" className={styles.time}>
        <span className={styles.verb}>Changed </span>
        <When time={updated} now={now} />
      </td>
      <td role="cell" className={styles.created}>
        <When time={created} now={now} />
      </td>
      <td role="cell" className={styles.action}>
        {deleted === undefined ? (
          <RowMenu notebook={notebook} actions={actions} onRename={() => onRenaming(true)} />
        ) : (
          <RestoreButton notebook={notebook} onRestore={actions.restore} />
        )}
      </td>
    </tr>
  );
}
