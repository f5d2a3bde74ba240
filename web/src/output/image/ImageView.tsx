import { type SyntheticEvent, useCallback, useEffect, useState } from "react";
import { useBack } from "../../core/hooks.js";
import { keyedFetch } from "../../core/key.js";
import { classes } from "../../lib/classes.js";
import { Fields } from "../../lib/parse.js";
import { Button } from "../../ui/Button.js";
import { Cut } from "../../ui/Cut.js";
import type { Size } from "./imageSize.js";
import styles from "./ImageView.module.css";
import { isDecodable } from "./paintable.js";

interface Props {
  readonly type: string;
  /** Its address, or its content as a data address. */
  readonly src: string;
  /** Its natural size, if it is known before it is loaded. */
  readonly own: Size | undefined;
  readonly metadata: unknown;
  readonly alt: string;
  readonly size: "capped" | "all" | "full";
  onSize?(size: Size): void;
}

/** A picture. An SVG is one too: nothing in it can run. */
export function ImageView({ type, src, own, metadata, alt, size, onSize }: Props) {
  const [broken, setBroken] = useState(false);
  const [tries, setTries] = useState(0);
  const { url, failed } = useKeyed(src, tries);
  const again = useCallback(() => {
    setBroken(false);
    setTries((n) => n + 1);
  }, []);
  const remote = !src.startsWith("data:");
  useBack(useCallback(() => remote && (broken || failed) && again(), [remote, broken, failed, again]));
  const [asked, setAsked] = useState(false);
  if (!asked && !isDecodable(own)) return <Huge type={type} size={own} onShow={() => setAsked(true)} />;
  if (broken || failed) return <Broken type={type} again={remote ? again : undefined} />;
  const light = type === "image/svg+xml" || new Fields(metadata).stringIfAny("needs_background") === "light";
  const loaded = ({ currentTarget: { naturalWidth: width, naturalHeight: height } }: SyntheticEvent<HTMLImageElement>): void => {
    if (width > 0) onSize?.({ width, height });
  };
  return (
    <div className={styles.box}>
      <img
        className={classes(styles.image, size !== "full" && styles.fit, light && styles.light)}
        src={url}
        alt={alt}
        {...sizeFor(metadata, own)}
        onLoad={loaded}
        onError={() => setBroken(true)}
      />
    </div>
  );
}

/** Tells that a picture takes much memory, and offers to show it. */
function Huge({ type, size, onShow }: { readonly type: string; readonly size: Size | undefined; onShow(): void }) {
  return (
    <Cut why={`This picture (${type}) has ${size?.width.toLocaleString()} × ${size?.height.toLocaleString()} pixels, more than the page shows at once.`}>
      <Button onClick={onShow}>Show anyway</Button>
    </Cut>
  );
}

/** Tells that a picture could not be loaded, and offers to retry one of the server. */
function Broken({ type, again }: { readonly type: string; readonly again: (() => void) | undefined }) {
  return (
    <p className={styles.broken}>
      This picture ({type}) cannot be {again ? "loaded" : "shown"}. {again && <Button onClick={again}>Try again</Button>}
    </p>
  );
}

/** Returns the data address of an inline picture. */
export function addressOf(type: string, data: string): string {
  return type === "image/svg+xml" ? `data:image/svg+xml,${encodeURIComponent(data.toWellFormed())}` : `data:${type};base64,${data.replace(/\s/g, "")}`;
}

/** Returns the size in the metadata, with the other side in proportion. */
function sizeFor(metadata: unknown, own: Size | undefined): { width?: number; height?: number } {
  const said = new Fields(metadata);
  const width = said.numberIfAny("width");
  const height = said.numberIfAny("height");
  if (width !== undefined && height !== undefined) return { width, height };
  if (width === undefined && height === undefined) return own ?? {};
  if (width !== undefined) return own ? { width, height: Math.round((own.height / own.width) * width) } : { width };
  return height !== undefined && own ? { width: Math.round((own.width / own.height) * height), height } : {};
}

/** Keyed is a picture that is loaded with the key: loading, loaded, or failed. */
interface Keyed {
  readonly url: string | undefined;
  readonly failed: boolean;
}

/**
 * Returns an address that the browser can show for an address of the server: an element that loads it would not send the key.
 * Other addresses are returned unchanged. Another number of tries loads it again.
 */
function useKeyed(address: string, tries: number): Keyed {
  const here = !address.startsWith("/api/");
  const [got, setGot] = useState<Keyed>({ url: undefined, failed: false });
  useEffect(() => {
    if (here) return undefined;
    const asked = new AbortController();
    let url: string | undefined;
    setGot({ url, failed: false });
    const fetched = async (): Promise<void> => {
      const answer = await keyedFetch(address, { signal: asked.signal });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const blob = await answer.blob();
      if (asked.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setGot({ url, failed: false });
    };
    fetched().catch(() => asked.signal.aborted || setGot({ url: undefined, failed: true }));
    return () => {
      asked.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [address, here, tries]);
  return here ? { url: address, failed: false } : got;
}
