import { useEffect } from "react";
import { keyedFetch } from "../core/key.js";
import { save } from "../lib/save.js";
import { useToast } from "../ui/toast.js";

/**
 * Has the page download what a link of ours leads to: a browser that follows one by itself does not say the key. What
 * may be large the browser saves as it comes, by a link that the server makes for it. A link that is pointed at, or has
 * the focus, gets such an address as well: it may be opened in a tab of its own, where no script of ours has a say.
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

/** What is known of a link: the path that it was made for, until when its address leads there without the key, and whether another is asked for. */
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

  /** Downloads what a link leads to, but for one that a browser opens by itself. */
  readonly clicked = (event: MouseEvent): void => {
    const link = linkOf(event);
    if (link === undefined || event.button > 1) return;
    const { path, until } = this.#of(link);
    if (path === "" || (event.button === 1 && Date.now() < until)) return;
    event.preventDefault();
    void download(path, link.download).catch(() => this.#failed("The file was not saved: the server did not give it. Try again."));
  };

  /** Gives a link an address that needs no key, unless it has one that is good for a while. */
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
      () => this.#known.set(link, { path, until, asking: false }), // who clicks it is told
    );
  };

  /** Returns what is known of a link, with an empty path for one that needs no key. */
  #of(link: HTMLAnchorElement): Known {
    const known = this.#known.get(link);
    if (known !== undefined) return known;
    const ours = link.origin === location.origin && link.pathname.startsWith("/api/");
    return { path: ours ? link.pathname + link.search : "", until: 0, asking: false };
  }
}

/** How long before its end an address is replaced, in milliseconds. */
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

/** Asks for an address under which the browser finds what is at a path without saying the key. */
async function linkTo(path: string): Promise<{ readonly url: string; readonly expires: string }> {
  const { pathname, searchParams: said } = new URL(path, location.origin);
  const body = JSON.stringify(isArtifact(path) ? { type: said.get("type") ?? "", name: said.get("name") ?? "" } : { format: said.get("format") ?? "" });
  const answer = await fetched(`${pathname}/link`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
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

/** Returns the name that the server gives a file. */
function nameOf(answer: Response): string {
  const said = answer.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(said)?.[1];
  return encoded === undefined ? (/filename="?([^";]+)/i.exec(said)?.[1] ?? "notebook") : decodeURIComponent(encoded);
}
