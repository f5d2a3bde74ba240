import { useState } from "react";
import { Fields } from "../core/parse.js";
import { classes } from "../ui/classes.js";
import styles from "./ImageView.module.css";
import { sizeOfImage } from "./imageSize.js";

interface Props {
  readonly type: string;
  /** Base64, or the source of an SVG. */
  readonly data: string;
  readonly metadata: unknown;
  readonly alt: string;
  readonly size: "capped" | "all" | "full";
}

/** A picture. An SVG is one too: nothing in it can run. */
export function ImageView({ type, data, metadata, alt, size }: Props) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className={styles.broken}>This picture ({type}) cannot be shown.</p>;
  const isSVG = type === "image/svg+xml";
  const pixels = sizeFor(type, data, metadata);
  return (
    <div className={styles.box}>
      <img
        className={classes(styles.image, size !== "full" && styles.fit, (isSVG || needsLight(metadata)) && styles.light)}
        src={addressOf(type, data)}
        alt={alt}
        {...pixels}
        onError={() => setBroken(true)}
      />
    </div>
  );
}

/** Returns the address of a picture that is here. */
export function addressOf(type: string, data: string): string {
  return type === "image/svg+xml" ? `data:image/svg+xml,${encodeURIComponent(data.toWellFormed())}` : `data:${type};base64,${data.replace(/\s/g, "")}`;
}

function sizeFor(type: string, data: string, metadata: unknown): { width?: number; height?: number } {
  const said = new Fields(metadata);
  const width = said.numberIfAny("width");
  const height = said.numberIfAny("height");
  if (width !== undefined && height !== undefined) return { width, height };
  const own = sizeOfImage(type, data);
  if (width === undefined && height === undefined) return own ?? {};
  if (width !== undefined) return own ? { width, height: Math.round((own.height / own.width) * width) } : { width };
  return height !== undefined && own ? { width: Math.round((own.width / own.height) * height), height } : {};
}

function needsLight(metadata: unknown): boolean {
  return new Fields(metadata).stringIfAny("needs_background") === "light";
}
