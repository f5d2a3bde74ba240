import { useEffect } from "react";
import type { ArtifactLink, ExportLink, NewArtifactLink, NewExportLink } from "../core/http.js";
import { keyedFetch } from "../core/key.js";
import { save } from "../lib/save.js";
import { useToast } from "../ui/toast.js";

/**
 * Downloads the targets of links to files of the server: a browser that follows such a link would not send the key. Large files
 * are saved by the browser itself, by a signed link of the server. A hovered or focused link gets a signed address too, because
 * it may be opened in another tab without a script of the page.
 */
export function useKeyedLinks(): void {
  const toast = useToast();
  useEffect(() => {
    const keyed = new KeyedLinks((text) => toast({ kind: "error", text }));
    const end = new AbortController();
    for (const kind of ["click", "auxclick"] as const) document.addEventListener(kind, keyed.clicked, { signal: end.signal });
    for (const kind of ["pointerover", "focusin"] as const) document.addEventListener(kind, keyed.near, { signal: end.signal });
    return () => end.abort();
  }, [toast]);
}

/** The known state of a link: the path that it was made for, the expiry of its signed address, and whether another was requested. */
interface Known {
  readonly path: string;
  readonly until: number;
  readonly asking: boolean;
}

class KeyedLinks {
  readonly #known = new WeakMap<HTMLAnchorElement, Known>();
  readonly #failed: (text: string) => void;

  constructor(failed: (text: string) => void) {
    this.#failed = failed;
  }

  /** Downloads the target of a link, unless the browser opens it by itself. */
  readonly clicked = (event: MouseEvent): void => {
    const link = linkOf(event);
    if (link === undefined || event.button > 1) return;
    const { path, until } = this.#of(link);
    if (path === "" || (event.button === 1 && Date.now() < until)) return;
    event.preventDefault();
    void download(path, link.download).catch(() => this.#failed("The file was not saved: the server did not give it. Try again."));
  };

  /** Gives a link a signed address, unless it has one that is valid for a while. */
  readonly near = (event: Event): void => {
    const link = linkOf(event);
    if (link === undefined) return;
    const { path, until, asking } = this.#of(link);
    if (path === "" || asking || Date.now() < until - margin) return;
    this.#known.set(link, { path, until, asking: true });
    void linkTo(path).then(
      ({ url, expires }) => {
        link.href = url;
        this.#known.set(link, { path, until: Date.parse(expires), asking: false });
      },
      () => this.#known.set(link, { path, until, asking: false }), // a click reports the error
    );
  };

  /** Returns the state of a link, with an empty path for one that needs no key. */
  #of(link: HTMLAnchorElement): Known {
    const known = this.#known.get(link);
    if (known !== undefined) return known;
    const ours = link.origin === location.origin && link.pathname.startsWith("/api/");
    return { path: ours ? link.pathname + link.search : "", until: 0, asking: false };
  }
}

/** The time before its expiry at which an address is replaced, in milliseconds. */
const margin = 60_000;

function linkOf({ target }: Event): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest("a[download]") : null;
  return link instanceof HTMLAnchorElement ? link : undefined;
}

async function download(path: string, name: string): Promise<void> {
  if (isArtifact(path)) return follow((await linkTo(path)).url, name);
  const answer = await fetched(path, {});
  save(await answer.blob(), name || nameOf(answer));
}

const isArtifact = (path: string): boolean => /\/artifacts\/[^/?]+(?:\?|$)/.test(path);

/** Requests a signed address for a path. */
async function linkTo(path: string): Promise<ArtifactLink | ExportLink> {
  const { pathname, searchParams: said } = new URL(path, location.origin);
  const body: NewArtifactLink | NewExportLink = isArtifact(path)
    ? { type: said.get("type") ?? "", name: said.get("name") ?? "" }
    : { format: said.get("format") ?? "" };
  const answer = await fetched(`${pathname}/link`, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  return answer.json();
}

async function fetched(path: string, init: RequestInit): Promise<Response> {
  const answer = await keyedFetch(path, init);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer;
}

function follow(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** Returns the server's name of a file. */
function nameOf(answer: Response): string {
  const said = answer.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(said)?.[1];
  return encoded === undefined ? (/filename="?([^";]+)/i.exec(said)?.[1] ?? "notebook") : decodeURIComponent(encoded);
}
