import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FromFrame } from "./messages.js";
import { HeightReport } from "./reports.js";

let said: FromFrame[] = [];
let height = 0;

beforeEach(() => {
  said = [];
  vi.useFakeTimers();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
    },
  );
  vi.spyOn(document.body, "scrollHeight", "get").mockImplementation(() => height);
  vi.spyOn(document.documentElement, "clientHeight", "get").mockReturnValue(window.innerHeight);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

test("the height is said when there is something to show, and not before, and without a paint", async () => {
  vi.stubGlobal("requestAnimationFrame", () => 1); // a frame out of sight
  height = 8;
  const report = new HeightReport(document.body, (message) => said.push(message));
  document.body.append("x");
  await vi.advanceTimersByTimeAsync(1000);
  expect(said).toEqual([]);
  height = 60;
  report.begin();
  expect(said).toEqual([{ kind: "height", height: 60 }]);
});

test("a change is said after the next paint, and in a frame that is not painted a little later", async () => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  height = 60;
  new HeightReport(document.body, (message) => said.push(message)).begin();
  height = 90;
  document.body.append("one", "two");
  await vi.advanceTimersByTimeAsync(0);
  expect(said.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(said).toEqual([
    { kind: "height", height: 60 },
    { kind: "height", height: 90 },
  ]);
});
