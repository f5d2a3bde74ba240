import { expect, test, vi } from "vitest";
import { Store } from "../core/store.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { CommandError, RemoteClient } from "./remote.js";

/** Worker is the other end of a client, played by the test. */
class Worker implements Port<ToPage, ToWorker> {
  readonly heard: ToWorker[] = [];
  onmessage: ((event: MessageEvent<ToPage>) => void) | null = null;

  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }

  say(message: ToPage): void {
    this.onmessage?.(new MessageEvent("message", { data: message }));
  }

  kinds(): string[] {
    return this.heard.map((message) => message.kind);
  }
}

const whole = JSON.stringify({ reset: true, notebook: { title: "", language: "python", cells: [] } });
const first = JSON.stringify({ reset: true, first: true, notebook: { title: "", language: "python", cells: ["a"] } });

/** Runs all code that waits for promises. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

async function opened(): Promise<{ client: RemoteClient; worker: Worker }> {
  const worker = new Worker();
  const client = new RemoteClient("n", new Store(), Promise.resolve(worker));
  await settled();
  return { client, worker };
}

test("an order waits until the core has the notebook, for before it would be done to an empty one", async () => {
  const { client, worker } = await opened();
  const done = client.command({ kind: "runCells" });
  worker.say({ kind: "batch", json: JSON.stringify({ status: { seq: 0, pending: 0, online: false } }) });
  worker.say({ kind: "batch", json: first });
  await settled();
  expect(worker.kinds()).not.toContain("command");
  worker.say({ kind: "batch", json: whole });
  await settled();
  const asked = worker.heard.find((message) => message.kind === "command");
  expect(asked).toMatchObject({ json: JSON.stringify({ kind: "runCells" }) });
  worker.say({ kind: "answer", n: asked?.kind === "command" ? asked.n : 0, json: JSON.stringify({ runs: ["r"] }) });
  expect(await done).toEqual({ runs: ["r"] });
});

const shown = (worker: Worker): number => worker.kinds().filter((kind) => kind === "shown").length;

test("a batch is answered so that the worker sends the next: a large one when it is painted", async () => {
  const { worker } = await opened();
  worker.say({ kind: "batch", json: whole });
  expect(shown(worker)).toBe(1);
  worker.say({ kind: "batch", json: whole + " ".repeat(16 << 10) });
  expect(shown(worker)).toBe(1);
  await expect.poll(() => shown(worker)).toBe(2);
});

const withCell = JSON.stringify({
  reset: true,
  notebook: { title: "", language: "python", cells: ["a"] },
  cells: [{ id: "a", kind: "code", text: { version: 1, source: "x" } }],
});

test("a push that was taken changes the text at once, before what comes next, and one that was not changes nothing", async () => {
  const { client, worker } = await opened();
  worker.say({ kind: "batch", json: withCell });
  const seen: string[] = [];
  client.onText("a", (updates) => seen.push(...updates.map(({ version, by = "another" }) => `${version} ${by}`)));
  const answer = (json: string): void => {
    const asked = worker.heard.findLast((message) => message.kind === "push");
    worker.say({ kind: "answer", n: asked?.kind === "push" ? asked.n : 0, json });
  };
  const behind = client.push({ cell: "a", version: 0, by: "me", edits: [["no"]] });
  answer("false");
  expect(await behind).toBe(false);
  const taken = client.push({
    cell: "a",
    version: 1,
    by: "me",
    edits: [
      [1, "y"],
      [2, "z"],
    ],
  });
  expect(client.store.text("a")).toEqual({ version: 1, source: "x" });
  answer("true");
  worker.say({ kind: "batch", json: JSON.stringify({ texts: [{ cell: "a", version: 3, edit: [3, "!"] }] }) });
  expect(client.store.text("a")).toEqual({ version: 4, source: "xyz!" });
  expect(seen).toEqual(["1 me", "2 me", "3 another"]);
  expect(await taken).toBe(true);
});

test("what this person did is painted before more news of it is asked for, without a frame for that alone", async () => {
  const { client, worker } = await opened();
  worker.say({ kind: "batch", json: whole });
  const frames = vi.spyOn(globalThis, "requestAnimationFrame");
  const done = client.command({ kind: "undo" });
  await settled();
  const asked = worker.heard.find((message) => message.kind === "command");
  worker.say({ kind: "answer", n: asked?.kind === "command" ? asked.n : 0, json: "{}", batch: JSON.stringify({}) });
  expect(await done).toEqual({});
  expect(shown(worker)).toBe(1);
  await expect.poll(() => shown(worker)).toBe(2);
  expect(frames).not.toHaveBeenCalled();
});

test("a command that fails says why, with its code", async () => {
  const { client, worker } = await opened();
  worker.say({ kind: "batch", json: whole });
  const done = client.command({ kind: "undo" });
  await settled();
  const asked = worker.heard.find((message) => message.kind === "command");
  worker.say({ kind: "failed", n: asked?.kind === "command" ? asked.n : 0, message: "there is nothing to undo", code: "conflict" });
  await expect(done).rejects.toEqual(new CommandError("there is nothing to undo", "conflict"));
});

test("a call that is given up is not answered any more", async () => {
  const { client, worker } = await opened();
  const stop = new AbortController();
  const answer = client.call("complete", { source: "a", cursor: 1 }, stop.signal);
  stop.abort();
  await expect(answer).rejects.toThrow();
  expect(worker.kinds().slice(-2)).toEqual(["call", "giveUp"]);
});

test("who is here keeps their name when the editor says where the caret is", async () => {
  const { client, worker } = await opened();
  client.present({ name: "reader" });
  client.present({ cell: "a", anchor: 1, head: 1 });
  await expect.poll(() => worker.kinds()).toContain("present");
  const said = worker.heard.find((message) => message.kind === "present");
  expect(said).toMatchObject({ json: JSON.stringify({ name: "reader", cell: "a", anchor: 1, head: 1 }) });
});

test("a page does not wait for its lock, and says that it is there when it is asked, until it is closed", async () => {
  for (const request of [() => new Promise<never>(() => {}), () => Promise.reject(new DOMException("no", "AbortError"))]) {
    vi.stubGlobal("navigator", { locks: { request } });
    const { client, worker } = await opened();
    expect(worker.kinds()).toEqual(["open"]);
    worker.say({ kind: "ask" });
    expect(worker.kinds()).toEqual(["open", "alive"]);
    client.close();
    worker.say({ kind: "ask" });
    expect(worker.kinds()).toEqual(["open", "alive", "close"]);
    vi.unstubAllGlobals();
  }
});

test("a page that was taken for gone opens the notebook again, and what it had asked fails", async () => {
  const { client, worker } = await opened();
  const pushed = client.push({ cell: "a", version: 0, by: "me", edits: [] });
  worker.say({ kind: "closed" });
  await expect(pushed).rejects.toEqual(new CommandError("The page was asleep.", "unavailable"));
  expect(worker.kinds()).toEqual(["open", "push", "open"]);
  worker.say({ kind: "batch", json: whole });
  expect(client.store.live()).toBe(true);
});
