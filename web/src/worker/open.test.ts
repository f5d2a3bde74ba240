import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ToPage, ToWorker } from "./messages.js";
import { openNotebook, patience } from "./open.js";

/** A shared worker that does what the test says. */
class TestWorker {
  static readonly started: TestWorker[] = [];
  readonly sent: ToWorker[] = [];
  readonly port: { onmessage: ((event: { readonly data: ToPage }) => void) | null; postMessage(message: ToWorker): void };
  onerror: (() => void) | null = null;

  constructor() {
    this.port = { onmessage: null, postMessage: (message) => void this.sent.push(message) };
    TestWorker.started.push(this);
  }

  answer(): void {
    this.port.onmessage?.({ data: { kind: "here" } });
  }
}

const reasons: unknown[] = [];
const hear = (event: Event): void => void reasons.push(event instanceof CustomEvent ? event.detail : undefined);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("SharedWorker", TestWorker);
  vi.stubGlobal("fetch", async () => new Response(null, { status: 503 }));
  window.addEventListener("quire:loading", hear);
});

afterEach(() => {
  window.removeEventListener("quire:loading", hear);
  TestWorker.started.length = 0;
  reasons.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a notebook and waits until its first worker is started. */
async function opened(): Promise<TestWorker> {
  openNotebook("nb");
  await vi.advanceTimersByTimeAsync(1_000);
  const [first] = TestWorker.started;
  if (!first) throw new Error("no worker was started");
  return first;
}

const kinds = (worker: TestWorker | undefined): readonly string[] => worker?.sent.map(({ kind }) => kind) ?? [];

test("a worker that answers is the notebook's, and no other is started", async () => {
  const first = await opened();
  first.answer();
  await vi.advanceTimersByTimeAsync(10 * patience);
  expect(TestWorker.started).toHaveLength(1);
  expect(kinds(first)).toContain("open");
  expect(reasons).toEqual([]);
});

test.each<readonly [string, (worker: TestWorker) => unknown, string]>([
  ["gives neither an answer nor an error", () => vi.advanceTimersByTimeAsync(patience), "its worker does not start"],
  ["fails", (worker) => worker.onerror?.(), "the server does not answer"],
])("a worker that %s is requested again", async (_, ends, reason) => {
  await ends(await opened());
  await vi.advanceTimersByTimeAsync(1_000);
  const [first, second] = TestWorker.started;
  second?.answer();
  await vi.advanceTimersByTimeAsync(1_000);
  first?.answer(); // too late
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reasons).toEqual([reason]);
  expect(kinds(second)).toContain("open");
  expect(kinds(first)).toEqual([]);
});
