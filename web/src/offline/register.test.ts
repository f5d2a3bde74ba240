import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { forgetPage, keepPage } from "./register.js";

/** Worker is a service worker that records its messages. */
class Worker {
  readonly told: string[] = [];
  keeps = true;

  postMessage(message: string): void {
    this.told.push(message);
    if (this.keeps) kept = message === "keep";
  }
}

interface Registration {
  active: Worker | null;
  waiting: Worker | null;
  installing: Worker | null;
}

const registered = (more: Partial<Registration> = {}): Registration => ({ active: null, waiting: null, installing: null, ...more });

/** Container is the browser's side of service workers. */
class Container {
  away = false;
  registration = registered();
  old: Registration | undefined;
  controller: Worker | null = new Worker();
  asked = 0;
  answered: Promise<void> = Promise.resolve();

  register = async (): Promise<Registration> => {
    this.asked++;
    await this.answered;
    if (this.away) throw new TypeError("Failed to register");
    return this.registration;
  };
  getRegistration = async (): Promise<Registration | undefined> => this.old ?? (this.registration.active ? this.registration : undefined);
  get ready(): Promise<Registration> {
    return Promise.resolve(this.old ?? this.registration);
  }
}

let container: Container;
let puts: number;
/** Whether the page is in a cache. */
let kept: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  container = new Container();
  puts = 0;
  kept = false;
  vi.stubGlobal("navigator", { serviceWorker: container });
  vi.stubGlobal("caches", { open: async () => ({ put: async () => void puts++ }), match: async () => (kept ? new Response() : undefined) });
});

afterEach(async () => {
  await forgetPage();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the worker that keeps the page is the one that is registered, and not one from before", async () => {
  const [old, active] = [new Worker(), new Worker()];
  container.old = registered({ active: old });
  container.registration = registered({ active });
  void keepPage();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([old.told, active.told, puts]).toEqual([[], ["keep"], 1]);
});

test("what fails is tried again after 2, 4, 8, 16 and 32 seconds, and then no more", async () => {
  container.away = true;
  const tried = keepPage();
  for (const [tries, seconds] of [2, 4, 8, 16, 32].entries()) {
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(container.asked).toBe(tries + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(container.asked).toBe(tries + 2);
  }
  await vi.advanceTimersByTimeAsync(600_000);
  expect(container.asked).toBe(6);
  await tried;
});

test("it is kept once the server is back, and tried no more", async () => {
  const active = new Worker();
  container.registration = registered({ active });
  container.away = true;
  void keepPage();
  await vi.advanceTimersByTimeAsync(2_000);
  container.away = false;
  await vi.advanceTimersByTimeAsync(600_000);
  expect([container.asked, active.told]).toEqual([3, ["keep"]]);
});

test("a page that is not kept after all is tried again: its worker was not installed, or forgets it late", async () => {
  const active = new Worker();
  active.keeps = false;
  void keepPage();
  await vi.advanceTimersByTimeAsync(0);
  container.registration = registered({ active });
  await vi.advanceTimersByTimeAsync(2_000);
  expect([container.asked, active.told]).toEqual([2, ["keep"]]);
  active.keeps = true;
  await vi.advanceTimersByTimeAsync(600_000);
  expect([container.asked, active.told]).toEqual([3, ["keep", "keep"]]);
});

test("a page that is kept by no worker that is registered is tried again", async () => {
  kept = true;
  void keepPage();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(container.asked).toBe(2);
  container.registration = registered({ active: new Worker() });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(container.asked).toBe(2);
});

test("one who signs out ends the tries", async () => {
  container.away = true;
  void keepPage();
  await vi.advanceTimersByTimeAsync(2_000);
  await forgetPage();
  container.away = false;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(container.asked).toBe(2);
});

test("what was registered while one signed out is forgotten", async () => {
  let answer: () => void = () => {};
  container.answered = new Promise((resolve) => (answer = resolve));
  const installing = new Worker();
  container.registration = registered({ installing });
  void keepPage();
  await forgetPage();
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(installing.told).toEqual(["forget"]);
});

test("one who is back has it kept from the first pause on", async () => {
  container.away = true;
  void keepPage();
  await vi.advanceTimersByTimeAsync(6_000);
  void keepPage();
  await vi.advanceTimersByTimeAsync(0);
  expect(container.asked).toBe(4);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(container.asked).toBe(5);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(container.asked).toBe(9);
});

test("a page that no worker has taken over asks again", async () => {
  const active = new Worker();
  container.registration = registered({ active });
  container.controller = null;
  void keepPage();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(active.told).toEqual(["keep", "keep"]);
  container.controller = active;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(active.told).toEqual(["keep", "keep"]);
});
