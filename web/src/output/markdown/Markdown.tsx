import { type MouseEvent, useDeferredValue, useLayoutEffect, useRef } from "react";
import { lazily, useLazily } from "../../lib/lazily.js";
import styles from "./Markdown.module.css";
import type { Pictures } from "./pictures.js";

const engine = lazily(() => import("./show.js"));

interface Props {
  readonly source: string;
  /** The attached pictures. */
  readonly pictures?: Pictures | undefined;
}

/** Rendered Markdown, or its source until it can be rendered. */
export function Markdown({ source, pictures }: Props) {
  const shown = useDeferredValue(source);
  const element = useRef<HTMLDivElement>(null);
  const loaded = useLazily(engine);
  useLayoutEffect(() => {
    if (loaded && element.current) loaded.show(shown, element.current, pictures);
  }, [loaded, shown, pictures]);
  if (!loaded)
    return (
      <div className={styles.plain} data-unready>
        {source}
      </div>
    );
  return <div ref={element} className={styles.markdown} onClick={followAnchor} />;
}

/** Scrolls to an anchor in the notebook without changing the page's address. */
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
