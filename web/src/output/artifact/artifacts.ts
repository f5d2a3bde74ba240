import { createContext, useContext } from "react";
import type { Artifact } from "../../core/event.js";
import { keyedFetch } from "../../core/key.js";
import { fileName } from "../bundle/bytes.js";
import type { Look } from "../bundle/prefer.js";

/** ArtifactsContext holds the address of the notebook's artifacts. */
export const ArtifactsContext = createContext<string | undefined>(undefined);

/** Returns the address of a notebook's artifacts. */
export function artifactsOf(notebook: string): string {
  return `/api/notebooks/${encodeURIComponent(notebook)}/artifacts`;
}

/** Returns the address of an artifact, served as a type; undefined where there is no server. */
export function useArtifact(artifact: Artifact | undefined, type: string): string | undefined {
  const base = useContext(ArtifactsContext);
  return base !== undefined && artifact ? addressOf(base, artifact, type) : undefined;
}

/** Returns the address of an artifact below the base address. */
export function addressOf(base: string, { hash }: Artifact, type: string): string {
  return `${base}/${encodeURIComponent(hash)}?${new URLSearchParams({ type, name: fileName(type) }).toString()}`;
}

/** The size of an artifact that is shown at once, and the largest size that is shown at all, in bytes. */
export const shownAtOnce = 1_000_000;
export const shownAtMost = 50_000_000;

/** Returns the most bytes of an artifact that a look can show: lines are rendered a screen at a time, other looks as a whole. */
export function mostOf(look: Look): number {
  if (look === "text") return shownAtMost;
  return look === "html" || look === "javascript" ? 20_000_000 : 5_000_000;
}

/** The loaded part of an artifact. */
export interface Read {
  readonly bytes: number;
  /** There is more. */
  readonly cut: boolean;
}

/** Reads the text of an artifact up to a number of bytes, and passes it on piece by piece. */
export async function readText(address: string, most: number, piece: (text: string) => void, signal: AbortSignal): Promise<Read> {
  const answer = await keyedFetch(address, { signal });
  if (!answer.ok) throw new Error(answer.status === 404 ? "the server does not have it any more" : `the server answered ${answer.status}`);
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    const fits = value.subarray(0, most - bytes);
    piece(decoder.decode(fits, { stream: true }));
    bytes += fits.length;
    if (fits.length < value.length) {
      await reader?.cancel();
      return { bytes, cut: true };
    }
  }
  piece(decoder.decode());
  return { bytes, cut: false };
}
