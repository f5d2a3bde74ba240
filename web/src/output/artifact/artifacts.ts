import { createContext, useContext } from "react";
import type { Artifact } from "../../core/event.js";
import { keyedFetch } from "../../core/key.js";
import { fileName } from "../bundle/bytes.js";
import type { Look } from "../bundle/prefer.js";

/** ArtifactsContext has the address under which the server has what of this notebook's outputs lies outside the log. */
export const ArtifactsContext = createContext<string | undefined>(undefined);

/** Returns the address of a notebook's artifacts. */
export function artifactsOf(notebook: string): string {
  return `/api/notebooks/${encodeURIComponent(notebook)}/artifacts`;
}

/** Returns the address of an artifact as something of a type; undefined where there is no server. */
export function useArtifact(artifact: Artifact | undefined, type: string): string | undefined {
  const base = useContext(ArtifactsContext);
  return base !== undefined && artifact ? addressOf(base, artifact, type) : undefined;
}

/** Returns the address of an artifact below that of all. */
export function addressOf(base: string, { hash }: Artifact, type: string): string {
  return `${base}/${encodeURIComponent(hash)}?${new URLSearchParams({ type, name: fileName(type) }).toString()}`;
}

/** How much of an artifact is shown without being asked for, and at most, in bytes. */
export const shownAtOnce = 1_000_000;
export const shownAtMost = 50_000_000;

/** Returns how much of an artifact can be shown in a look: lines are shown a screen at a time, and the others whole. */
export function mostOf(look: Look): number {
  if (look === "text") return shownAtMost;
  return look === "html" || look === "javascript" ? 20_000_000 : 5_000_000;
}

/** What was read of an artifact. */
export interface Read {
  readonly bytes: number;
  /** There is more that was not read. */
  readonly cut: boolean;
}

/** Reads the text of an artifact, no more than so many bytes of it, and hands it over piece by piece. */
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
