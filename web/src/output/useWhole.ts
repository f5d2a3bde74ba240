import { keyedFetch } from "../core/key.js";
import { save } from "../lib/save.js";
import { readText, useArtifact } from "./artifact/artifacts.js";
import { fileName } from "./bundle/bytes.js";
import { preferStored } from "./bundle/prefer.js";
import type { ShownRow } from "./joined.js";
import { withoutSequences } from "./log/ansi.js";

const plain = "text/plain";

/** Whole is a complete text of which the notebook has a part. */
export interface Whole {
  /** Copies the complete text. */
  copy(): Promise<void>;
  /** Downloads it as a file. */
  download(): void;
}

/** Returns access to the complete text of an output, if the notebook's log has only a part of it. */
export function useWhole({ value, before = "" }: ShownRow): Whole | undefined {
  const stored = value.kind === "stream" || preferStored(value)?.type === plain ? value.artifacts?.[plain] : undefined;
  const address = useArtifact(stored, plain);
  if (address === undefined) return undefined;
  return {
    copy: () => navigator.clipboard.write([new ClipboardItem({ [plain]: textOf(address, before) })]),
    download: () => void download(address, before),
  };
}

async function textOf(address: string, before: string): Promise<Blob> {
  const parts = [before];
  await readText(address, Number.POSITIVE_INFINITY, (part) => parts.push(part), new AbortController().signal);
  return new Blob([withoutSequences(parts.join(""))], { type: plain });
}

/** Saves a text as the program printed it. */
async function download(address: string, before: string): Promise<void> {
  const answer = await keyedFetch(address);
  if (answer.ok) save(new Blob([before, await answer.blob()], { type: plain }), fileName(plain));
}
