import { type SyntheticEvent, useId, useLayoutEffect, useRef } from "react";
import { useSession, useStanding } from "../session/session.js";
import { Button } from "../ui/Button.js";
import styles from "./SignedOutNotice.module.css";

/**
 * Tells the user about the end of the session, above all else. The page stays beneath with the typed text, and continues after
 * the next sign-in.
 */
export function SignedOutNotice() {
  return useStanding() === "signed-out" ? <Notice /> : null;
}

function Notice() {
  const { ask } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => {
    // A modal dialog of the browser lies above the page's dialogs, and restores the focus if it is closed before it is removed.
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} className={styles.notice} aria-labelledby={title} onCancel={(event) => event.preventDefault()} onClose={stay}>
      <div className={styles.text}>
        <h2 id={title} className={styles.title}>
          You are signed out here
        </h2>
        <p>
          Open the link that <code>quire link</code> prints; this page goes on by itself. Nothing that you typed is lost.
        </p>
        <Button kind="primary" onClick={() => void ask()}>
          Look again now
        </Button>
      </div>
    </dialog>
  );
}

/** A browser lets Escape be prevented only once. */
function stay({ currentTarget }: SyntheticEvent<HTMLDialogElement>) {
  if (currentTarget.isConnected && !currentTarget.open) currentTarget.showModal();
}
