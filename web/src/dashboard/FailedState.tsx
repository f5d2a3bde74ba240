import { Button } from "../ui/Button.js";
import styles from "./State.module.css";

interface Props {
  readonly message: string;
  onRetry(): void;
}

/** A list of notebooks that could not be loaded. */
export function FailedState({ message, onRetry }: Props) {
  return (
    <div className={styles.state} role="alert">
      <h2>Your notebooks could not be loaded</h2>
      <p>{message}</p>
      <div className={styles.actions}>
        <Button kind="primary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </div>
  );
}
