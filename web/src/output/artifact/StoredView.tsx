import { type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import type { Json } from "../../core/event.js";
import { useBack, useClient } from "../../core/hooks.js";
import type { Store } from "../../core/store.js";
import { sizeText } from "../../lib/sizeText.js";
import { useNear } from "../../ui/useNear.js";
import type { Shown, Stored } from "../bundle/prefer.js";
import type { Size } from "../image/imageSize.js";
import { ImageView } from "../image/ImageView.js";
import { type LogProps, LogView } from "../log/LogView.js";
import { ArtifactLine } from "./ArtifactLine.js";
import { mostOf, shownAtOnce, useArtifact } from "./artifacts.js";
import { type Loading, useArtifactText } from "./useArtifactText.js";

interface Props {
  readonly stored: Stored;
  readonly log: Omit<LogProps, "log" | "revision" | "tone">;
  readonly metadata: unknown;
  readonly alt: string;
  /** Shown until the artifact is loaded. */
  readonly before: ReactNode;
  /** Renders the loaded artifact. */
  show(shown: Shown): ReactNode;
}

const simple = 300; // bytes of a drawing that is certainly cheap; a longer one is loaded and weighed before it is painted

/** An output whose best type is stored outside the notebook's log. */
export function StoredView(props: Props) {
  const { look, artifact } = props.stored;
  return look === "image" || (look === "svg" && artifact.size <= simple) ? <StoredPicture {...props} /> : <StoredText {...props} />;
}

function StoredPicture({ stored: { type, artifact }, metadata, alt, log: { size } }: Props) {
  const sizes = sizesOf(useClient().store);
  const address = useArtifact(artifact, type);
  if (address === undefined)
    return (
      <ArtifactLine type={type} address={undefined}>
        {type}, {sizeText(artifact.size)}
      </ArtifactLine>
    );
  return (
    <ImageView
      type={type}
      src={address}
      own={sizes.get(artifact.hash)}
      metadata={metadata}
      alt={alt}
      size={size}
      onSize={(own) => sizes.set(artifact.hash, own)}
    />
  );
}

/** Small artifacts are loaded when they come into view, large ones on demand. */
function StoredText({ stored: { look, type, artifact }, log, before, show }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const near = useNear(box);
  const address = useArtifact(artifact, type);
  const most = mostOf(look);
  const { loading, load } = useArtifactText(address, most);
  const atOnce = near && artifact.size <= shownAtOnce;
  useEffect(() => {
    if (atOnce) load();
  }, [atOnce, load]);
  const failed = loading.kind === "failed";
  useBack(useCallback(() => failed && load(), [failed, load]));
  const value = useMemo(() => (loading.kind === "read" && look !== "text" ? valueOf(look, loading.log.text()) : undefined), [loading, look]);
  const there = value !== undefined && loading.kind === "read" && !loading.cut;
  const showable = look === "text" || artifact.size <= most;
  return (
    <div ref={box}>
      {there ? (
        show({ look, type, value })
      ) : look === "text" && (loading.kind === "read" || loading.kind === "reading") ? (
        <LogView {...log} log={loading.log} revision={loading.revision} />
      ) : (
        before
      )}
      {!there && !(atOnce && loading.kind !== "failed") && (
        <ArtifactLine type={type} address={address} busy={loading.kind === "reading"} onShow={showable && loading.kind !== "read" ? load : undefined}>
          {lineOf(type, artifact.size, loading, showable)}
        </ArtifactLine>
      )}
    </div>
  );
}

/** Parses the loaded text as the shown value; undefined for invalid JSON. */
function valueOf(look: Stored["look"], text: string): Json | undefined {
  if (look !== "json") return text;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function lineOf(type: string, size: number, loading: Loading, showable: boolean): string {
  const what = `${type}, ${sizeText(size)}`;
  if (loading.kind === "failed") return `${what}, could not be loaded: ${loading.reason}.`;
  if (loading.kind === "read")
    return loading.cut ? `${what}: the first ${sizeText(loading.bytes)} are shown. The file has all.` : `${what}, is not what it says.`;
  return showable ? what : `${what}, too large to be shown here.`;
}

const remembered = new WeakMap<Store, Map<string, Size>>();

/** Returns the known sizes of a notebook's pictures by hash, so a picture that appears again has its space at once. */
function sizesOf(store: Store): Map<string, Size> {
  const sizes = remembered.get(store) ?? new Map<string, Size>();
  remembered.set(store, sizes);
  return sizes;
}
