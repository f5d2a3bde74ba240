import { type ReactNode, useContext, useMemo, useState } from "react";
import type { CellID, Error as Failure } from "../../core/event.js";
import { Fold } from "../../ui/Fold.js";
import { type Jump, JumpContext } from "../context/jump.js";
import { ErrorPlace } from "./ErrorPlace.js";
import styles from "./ErrorView.module.css";
import { Trace } from "./Trace.js";

interface Props {
  readonly cell: CellID;
  readonly error: Failure;
  /** The run was interrupted, and this is only the resulting exception. */
  readonly stopped?: boolean;
}

/** The error that ended a run: its message, its place, and the stack trace. */
export function ErrorView({ cell, error, stopped = false }: Props) {
  const jump = useContext(JumpContext);
  const fromHere = useMemo<Jump | undefined>(() => jump && ((to) => jump({ ...to, from: cell })), [jump, cell]);
  const place = <ErrorPlace cell={cell} line={error.line ?? 0} column={error.column ?? 0} />;
  return <JumpContext value={fromHere}>{stopped ? <Stopped error={error} place={place} /> : <Failed error={error} place={place} />}</JumpContext>;
}

function Failed({ error, place }: { readonly error: Failure; readonly place: ReactNode }) {
  return (
    <div className={styles.error} role="group" aria-label={`Error: ${error.name}`}>
      <p className={styles.head}>
        <strong className={styles.name}>{error.name}</strong>
        {error.message !== "" && <span className={styles.message}>: {error.message}</span>}
        {place}
      </p>
      <Trace error={error} />
    </div>
  );
}

/** No failure: the exception of the interrupt shows where the program was. */
function Stopped({ error, place }: { readonly error: Failure; readonly place: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.stopped} role="group" aria-label="Stopped">
      <div className={styles.line}>
        <Fold open={open} onTurn={() => setOpen(!open)}>
          Stopped on request
        </Fold>
        {place}
      </div>
      {open && (
        <>
          <p className={styles.head}>
            {error.name}
            {error.message !== "" && `: ${error.message}`}
          </p>
          <Trace error={error} />
        </>
      )}
    </div>
  );
}
