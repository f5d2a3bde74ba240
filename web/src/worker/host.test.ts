import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Core, Lent } from "./core.js";
import { Host } from "./host.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

/** Tab is a page of a notebook, which answers while it is awake. */
class Tab implements Port<ToWorker, ToPage> {
  readonly heard: ToPage[] = [];
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null = null;
  awake = true;

  postMessage(message: ToPage): void {
    this.heard.push(message);
    if (message.kind === "ask" && this.awake) this.say({ kind: "alive" });
  }

  say(message: ToWorker): void {
    this.onmessage?.(new MessageEvent("message", { data: message }));
  }

  kinds(): string[] {
    return this.heard.map(({ kind }) => kind);
  }
}

/** SeenCore is a core whose pages a test can count. */
class SeenCore implements Core {
  readonly pages = new Set<number>();
  readonly lent: Lent;
  #last = 0;

  constructor(lent: Lent) {
    this.lent = lent;
  }

  open(): number {
    this.#last++;
    this.pages.add(this.#last);
    return this.#last;
  }
  close(page: number): void {
    this.pages.delete(page);
  }
  pressing = (): boolean => true;
  take = (): string => "{}";
  command = (): string => "{}";
  push = (): boolean => true;
  present = (): null => null;
  call = (): (() => void) => () => {};
  flush = (): null => null;
  client = (): string => "c";
  stored(): void {}
  unstored(): void {}
  retry(): void {}
  end(): void {}
}

/** A fake of the Web Locks API. After the site's data was cleared, every lock is free. */
class Locks {
  cleared = false;
  readonly #held = new Map<string, Promise<void>>();

  hold(name: string): () => void {
    let release: () => void = () => {};
    this.#held.set(name, new Promise((resolve) => (release = resolve)));
    return release;
  }

  request = async (name: string, held: () => unknown): Promise<unknown> => {
    if (!this.cleared) await this.#held.get(name);
    return held();
  };
}

let locks: Locks;
let core: SeenCore;
let host: Host;

beforeEach(() => {
  vi.useFakeTimers();
  locks = new Locks();
  vi.stubGlobal("navigator", { locks });
  host = new Host("n", async () => (lent) => (core = new SeenCore(lent)));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a page, and returns the function that releases its lock. */
async function opened(tab: Tab): Promise<() => void> {
  const release = locks.hold("page");
  await host.open(tab, { kind: "open", notebook: "n", lock: "page", seen: 0, key: "" });
  return release;
}

test("a page that lives is shown the notebook though its lock is free, as it is when the data of the site was cleared", async () => {
  locks.cleared = true;
  const tab = new Tab();
  await opened(tab);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(core.pages.size).toBe(1);
  expect(tab.kinds()).not.toContain("closed");
  const before = tab.kinds().filter((kind) => kind === "batch").length;
  tab.say({ kind: "shown" });
  core.lent.changed();
  await vi.advanceTimersByTimeAsync(0);
  expect(tab.kinds().filter((kind) => kind === "batch").length).toBe(before + 1);
});

test("a page that is gone is closed once it does not answer, and not before its lock is free", async () => {
  const tab = new Tab();
  const release = await opened(tab);
  tab.awake = false;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(tab.kinds()).not.toContain("ask");
  expect(core.pages.size).toBe(1);
  release();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(core.pages.size).toBe(0);
});

test("a page that lives when others are gone is asked seldom", async () => {
  locks.cleared = true;
  const tab = new Tab();
  await opened(tab);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tab.kinds().filter((kind) => kind === "ask").length).toBe(7);
});

test("a page that slept is told that it was closed, and is shown the notebook when it opens it again", async () => {
  locks.cleared = true;
  const tab = new Tab();
  await opened(tab);
  tab.awake = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(core.pages.size).toBe(0);
  expect(tab.kinds().at(-1)).toBe("closed");
  tab.awake = true;
  tab.say({ kind: "open", notebook: "n", lock: "another", seen: 0, key: "" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(core.pages.size).toBe(1);
  expect(tab.kinds().at(-1)).not.toBe("closed");
});

test("a page that was left is asked no more", async () => {
  const tab = new Tab();
  const release = await opened(tab);
  tab.awake = false; // like a closed page
  tab.say({ kind: "close" });
  release();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(core.pages.size).toBe(0);
  expect(tab.kinds().filter((kind) => kind === "ask" || kind === "closed").length).toBeLessThanOrEqual(1);
});

test("a page is told that one is signed out", async () => {
  class Unopened {
    onclose: (() => void) | null = null;
    constructor() {
      queueMicrotask(() => this.onclose?.());
    }
  }
  vi.stubGlobal("WebSocket", Unopened);
  vi.stubGlobal("fetch", async () => new Response(null, { status: 401 }));
  locks.cleared = true;
  const tab = new Tab();
  await opened(tab);
  await vi.advanceTimersByTimeAsync(60_000);
  core.lent.dial(
    () => undefined,
    () => undefined,
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(tab.kinds()).toContain("signedOut");
});
