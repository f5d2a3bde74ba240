import { type SyntheticEvent, useId, useLayoutEffect, useRef } from "react";
import { useSession, useStanding } from "../session/session.js";
import { Button } from "../ui/Button.js";
import styles from "./SignedOutNotice.module.css";

/**
 * Says that one is signed out, over everything else. The page stays as it is beneath, with all that was
 * typed, and goes on when the session hears that one is back.
 */
export function SignedOutNotice() {
  return useStanding() === "signed-out" ? <Notice /> : null;
}

function Notice() {
  const { ask } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => {
    // As the browser's own dialog it is above the page's, and gives the focus back where it was, if it
    // is closed before it goes.
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.notice}
      aria-labelledby={title}
      onCancel={(event) => event.preventDefault()}
      onClose={stay}
    >
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

/** A browser lets its Escape be refused only once. */
function stay({ currentTarget }: SyntheticEvent<HTMLDialogElement>) {
  if (currentTarget.isConnected && !currentTarget.open) currentTarget.showModal();
}
