// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Core } from "./core.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { Page } from "./page.js";

/** FakeCore is a core with prepared batches. Like the real one it must not be called while it reports a change. */
class FakeCore implements Core {
  #rows: string | null = null;
  #status: string | null = null;
  #telling = false;
  page: Page | undefined;

  /** Changes the rows or the status for a page. */
  change(what: { readonly rows?: string; readonly status?: string }): void {
    this.#rows = what.rows ?? this.#rows;
    this.#status = what.status ?? this.#status;
    this.#telling = true;
    this.page?.changed();
    this.#telling = false;
  }

  pressing(): boolean {
    this.#called();
    return this.#rows !== null;
  }

  take(): string | null {
    this.#called();
    const all = [this.#rows, this.#status].filter((part) => part !== null).join(" ");
    this.#rows = this.#status = null;
    return all === "" ? null : all;
  }

  command(): string {
    this.change({ rows: "the command's" });
    return "done";
  }

  #called(): void {
    if (this.#telling) throw new Error("deadlock: the core is called while it tells of a change");
  }

  open = (): number => 1;
  close = (): void => {};
  end = (): void => {};
  push = (): boolean => true;
  present = (): null => null;
  call = (): (() => void) => () => {};
  flush = (): null => null;
  stored = (): void => {};
  client = (): string => "";
  unstored = (): void => {};
  retry = (): void => {};
}

/** Tab is the other end of a page. */
class Tab implements Port<ToWorker, ToPage> {
  readonly heard: ToPage[] = [];
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null = null;

  postMessage(message: ToPage): void {
    this.heard.push(message);
  }
}

let core: FakeCore;
let tab: Tab;
let page: Page;

/** Runs all queued microtasks. */
const soon = (): Promise<void> => Promise.resolve();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  core = new FakeCore();
  tab = new Tab();
  page = new Page(core, tab, 0);
  core.page = page;
});

afterEach(() => void vi.useRealTimers());

test("rows that changed are sent at once", async () => {
  core.change({ rows: "a" });
  await soon();
  expect(tab.heard).toEqual([{ kind: "batch", json: "a" }]);
});

test("how the core stands to the server is sent a moment later, together with rows if some come", async () => {
  core.change({ status: "1" });
  await soon();
  expect(tab.heard).toEqual([]);
  core.change({ rows: "a" });
  await soon();
  expect(tab.heard).toEqual([{ kind: "batch", json: "a 1" }]);
  page.receive({ kind: "shown" });
  core.change({ status: "2" });
  await soon();
  vi.advanceTimersByTime(100);
  expect(tab.heard[1]).toEqual({ kind: "batch", json: "2" });
});

test("a page gets no batch before it has shown the one before", async () => {
  core.change({ rows: "a" });
  await soon();
  core.change({ rows: "b" });
  core.change({ status: "1" });
  await soon();
  vi.advanceTimersByTime(100);
  expect(tab.heard).toHaveLength(1);
  page.receive({ kind: "shown" });
  await soon();
  expect(tab.heard[1]).toEqual({ kind: "batch", json: "b 1" });
});

test("what a command changed comes with its answer", async () => {
  page.receive({ kind: "command", n: 7, json: "{}" });
  await soon();
  expect(tab.heard).toEqual([{ kind: "answer", n: 7, json: "done", batch: "the command's" }]);
});

test("a push is answered by itself, and what it changed of the status comes a moment later", async () => {
  core.push = () => {
    core.change({ status: "one is pending" });
    return true;
  };
  page.receive({ kind: "push", n: 8, json: "{}" });
  await soon();
  expect(tab.heard).toEqual([{ kind: "answer", n: 8, json: "true" }]);
  core.change({ status: "saved" });
  vi.advanceTimersByTime(100);
  expect(tab.heard.slice(1)).toEqual([{ kind: "batch", json: "saved" }]);
});

test("a page that is closed is sent nothing more", async () => {
  core.change({ status: "1" });
  await soon();
  page.close();
  vi.advanceTimersByTime(100);
  expect(tab.heard).toEqual([]);
});
