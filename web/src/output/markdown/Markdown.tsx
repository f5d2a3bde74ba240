import { type MouseEvent, useDeferredValue, useLayoutEffect, useRef } from "react";
import { lazily, useLazily } from "../../lib/lazily.js";
import styles from "./Markdown.module.css";
import type { Pictures } from "./pictures.js";

const engine = lazily(() => import("./show.js"));

interface Props {
  readonly source: string;
  /** Those that belong to it. */
  readonly pictures?: Pictures | undefined;
}

/** Markdown as it is meant to be read, and as it is written until that can be shown. */
export function Markdown({ source, pictures }: Props) {
  const shown = useDeferredValue(source);
  const element = useRef<HTMLDivElement>(null);
  const loaded = useLazily(engine);
  useLayoutEffect(() => {
    if (loaded && element.current) loaded.show(shown, element.current, pictures);
  }, [loaded, shown, pictures]);
  if (!loaded) return <div className={styles.plain} data-unready>{source}</div>;
  return <div ref={element} className={styles.markdown} onClick={followAnchor} />;
}

/** Goes to a place in the notebook without telling the page's address of it. */
function followAnchor(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
  if (!link) return;
  event.preventDefault();
  const name = decoded(link.getAttribute("href")?.slice(1) ?? "");
  const place = document.getElementById(`user-content-${name}`) ?? document.getElementsByName(`user-content-${name}`)[0];
  place?.scrollIntoView({ block: "start" });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
