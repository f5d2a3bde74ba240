import { useEffect, useMemo, useSyncExternalStore } from "react";
import { counted } from "../../lib/counted.js";
import { Banner } from "../../ui/Banner.js";
import { Button } from "../../ui/Button.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { type Kept, RefusalStore } from "../state/refusals.js";
import styles from "./Refusals.module.css";

/** Lists the user's refused changes with the typed text. They stay until they are dismissed. */
export function Refusals() {
  const { refused, read } = useRefusals();
  if (refused.length === 0) return null;
  return <Refused refused={refused} onSeen={() => read(refused)} />;
}

function Refused({ refused, onSeen }: { readonly refused: readonly Kept[]; onSeen(): void }) {
  const page = usePage();
  const text = refused.flatMap(({ source }) => source ?? []).join("\n");
  const reasons = [...new Set(refused.map(({ message }) => message))].slice(0, 3);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    page.note({ text: "The text is on the clipboard." });
  };
  const actions = (
    <>
      {text !== "" && <Button onClick={() => void attempt(page, copy)}>Copy the text</Button>}
      <Button onClick={onSeen}>Dismiss</Button>
    </>
  );
  return (
    <Banner kind="warn" action={actions}>
      {counted(refused.length, "change")} of yours {refused.length === 1 ? "was" : "were"} refused: {reasons.join("; ")}.
      {text !== "" && <RefusedText text={text} />}
    </Banner>
  );
}

function RefusedText({ text }: { readonly text: string }) {
  return (
    <details className={styles.text}>
      <summary>What you typed</summary>
      <pre>{text}</pre>
    </details>
  );
}

/** Returns the notebook's refusals that were not dismissed, and a function that dismisses refusals. */
function useRefusals(): { readonly refused: readonly Kept[]; readonly read: (refused: readonly Kept[]) => void } {
  const {
    id,
    client: { store },
  } = usePage();
  const refusals = useMemo(() => new RefusalStore(id), [id]);
  useEffect(() => {
    const take = (): void => refusals.add(store.refused());
    take();
    return store.listen("refused", take);
  }, [refusals, store]);
  const refused = useSyncExternalStore(refusals.listen, refusals.list);
  return { refused, read: (list) => refusals.read(new Set(list.map((one) => one.id))) };
}
