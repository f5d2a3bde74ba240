// @vitest-environment node
import { describe, expect, test } from "vitest";
import type { Cause } from "../core/event.js";
import { may } from "../core/may.js";
import type { Run, Runtime } from "../core/view.js";
import { health } from "./header/runtimeHealth.js";
import { duration, ordinal } from "./state/duration.js";
import { whyEnded } from "./state/ending.js";
import { cellLabel } from "./state/label.js";
import { endsText } from "./useRunEnds.js";

const run: Run = { id: "r", cell: "c", state: "finished", status: "ok", took: 200 };
const runtime: Runtime = { id: "k", epoch: 1, takes: "code", state: "ready", name: "Python" };

test.each([
  [0.2, "< 1 ms"],
  [12.4, "12 ms"],
  [200, "0.2 s"],
  [9949, "9.9 s"],
  [9960, "10 s"],
  [61_000, "1 min 1 s"],
  [3_660_000, "1 h 1 min"],
])("%d ms is %s", (ms, want) => {
  expect(duration(ms)).toBe(want);
});

test.each([
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [12, "12th"],
  [22, "22nd"],
  [113, "113th"],
])("place %d is %s", (n, want) => {
  expect(ordinal(n)).toBe(want);
});

test.each<[Partial<Run> | undefined, string]>([
  [undefined, "Cell 3, code"],
  [{}, "Cell 3, code, ran in 0.2 s"],
  [{ status: "error" }, "Cell 3, code, failed after 0.2 s"],
  [{ status: "lost", reason: "the machine went away" }, "Cell 3, code, runtime lost: the machine went away"],
  [{ status: "lost" }, "Cell 3, code, runtime lost: its runtime went away"],
  [{ status: "cancelled", started: 1 }, "Cell 3, code, stopped after 0.2 s"],
  [{ status: "cancelled", started: 1, reason: "it had to be killed" }, "Cell 3, code, stopped after 0.2 s: it had to be killed"],
  [{ status: "cancelled" }, "Cell 3, code, not run: it was cancelled before its turn"],
  [
    { status: "cancelled", cause: "earlier-failed", reason: "an earlier run of the same request did not end well" },
    "Cell 3, code, not run: an earlier cell failed or was stopped",
  ],
  [{ status: "ok", exited: true, cause: "exited", reason: "the program ended itself" }, "Cell 3, code, ran in 0.2 s: the program ended itself"],
  [{ status: "skipped", cause: "earlier-exited", reason: "the program ended at cell 2" }, "Cell 3, code, not run: the program ended at cell 2"],
  [{ status: "lost", cause: "lease", reason: "the runtime stopped (lease)" }, "Cell 3, code, runtime lost: the runtime was away for too long"],
  [{ status: "lost", cause: "died", reason: "the runtime is gone: it was killed" }, "Cell 3, code, runtime lost: the runtime is gone: it was killed"],
  [{ state: "pending" }, "Cell 3, code, queued"],
  [{ state: "started", cancelled: true }, "Cell 3, code, is stopping"],
])("a cell with run %o is called %s", (parts, want) => {
  expect(cellLabel(3, "code", parts && { ...run, ...parts })).toBe(want);
});

/** The words of each cause with a reason that has facts. */
const worded: Readonly<Record<Cause, string>> = {
  "not-started": "with facts",
  killed: "with facts",
  "timed-out": "with facts",
  "output-limit": "with facts",
  "not-stored": "with facts",
  "engine-died": "with facts",
  exited: "with facts",
  "exited-gone": "with facts",
  "earlier-failed": "an earlier cell failed or was stopped",
  "earlier-exited": "with facts",
  displaced: "another runtime took its place",
  shutdown: "the runtime was shut down",
  restart: "the runtime was restarted",
  idle: "the runtime had ended because it was idle",
  failed: "with facts",
  lease: "the runtime was away for too long",
  died: "with facts",
};

/** Words the end of a run as a page gets it, whose cause may be newer than the page. */
function endOf(cause: string, reason?: string): string | undefined {
  const row: Run = JSON.parse(JSON.stringify({ ...run, cause, reason }));
  return whyEnded(row.cause, row.reason);
}

describe("the cause of an end", () => {
  test.each(Object.entries(worded))("%s is worded", (cause, want) => {
    expect(endOf(cause, "with facts")).toBe(want);
    expect(endOf(cause)).toBeTruthy();
  });

  test("is not recognised in the reason: one of an older log stands as it was written", () => {
    for (const reason of ["an earlier run of the same request did not end well", "the runtime stopped (lease)"])
      expect(whyEnded(undefined, reason)).toBe(reason);
    expect(whyEnded(undefined, undefined)).toBeUndefined();
  });

  test("may be newer than the page, which then shows the reason", () => {
    expect(endOf("of-tomorrow", "it was too bright")).toBe("it was too bright");
    expect(endOf("toString")).toBeUndefined();
  });
});

describe("the runtime's health", () => {
  test.each<[Runtime | undefined, number, string, string]>([
    [undefined, 0, "none", "Not started"],
    [undefined, 1, "starting", "Starting…"],
    [{ ...runtime, state: "starting" }, 0, "starting", "Starting…"],
    [runtime, 0, "ready", "Ready"],
    [runtime, 2, "busy", "Busy"],
    [{ ...runtime, state: "stopped", reason: "idle" }, 0, "stopped", "Stopped: idle"],
    [{ ...runtime, away: true }, 0, "away", "Unreachable"],
    [{ ...runtime, away: true }, 2, "away", "Unreachable"],
    [{ ...runtime, state: "starting", away: true }, 0, "starting", "Starting…"],
    [{ ...runtime, state: "stopped", reason: "lease" }, 0, "stopped", "Runtime lost"],
    [{ ...runtime, state: "stopped", reason: "lease" }, 1, "starting", "Starting…"],
  ])("of %o with %d queued is %s", (row, queued, kind, text) => {
    expect(health(row, queued)).toMatchObject({ kind, text });
  });

  test.each<[Partial<Runtime>, string]>([
    [
      { reason: "idle", cause: "idle", detail: "the runtime was not used for 24h0m0s" },
      "It was not used for a long time. It starts again by itself when you run a cell.",
    ],
    [{ reason: "lease", cause: "lease" }, "Its connection to the server was lost for too long. It starts again by itself when you run a cell."],
    [{ reason: "lease", cause: "died", detail: "the runtime is gone: it was killed" }, "the runtime is gone: it was killed"],
    [{ reason: "failed", cause: "failed", detail: "Python cannot be started" }, "Python cannot be started"],
    [{ reason: "shutdown", cause: "shutdown" }, "It starts again by itself when you run a cell."],
  ])("of a runtime that stopped with %o says %s", (parts, detail) => {
    expect(health({ ...runtime, state: "stopped", ...parts }, 0).detail).toBe(detail);
  });

  test("is not known while the server does not answer, and of one that there never was it is", () => {
    expect(health(runtime, 2, true)).toMatchObject({ kind: "away", text: "Unreachable" });
    expect(health(undefined, 0, true)).toMatchObject({ kind: "none", text: "Not started" });
  });
});

test("the ends of many runs are one sentence or two", () => {
  const place = (): number => 2;
  expect(endsText([run], place)).toBe("Cell 2 ran in 0.2 s.");
  expect(
    endsText(
      [
        { ...run, exited: true },
        { ...run, status: "skipped" },
      ],
      place,
    ),
  ).toBe("1 cell ran. 1 not run.");
  expect(endsText([run, run, { ...run, status: "error" }, { ...run, status: "cancelled" }, { ...run, status: "cancelled", started: 1 }], place)).toBe(
    "Cell 2 failed after 0.2 s. 2 cells ran. 1 stopped. 1 not run.",
  );
});

test.each([
  ["owner", true, true],
  ["editor", true, true],
  ["runner", false, true],
  ["viewer", false, false],
  [undefined, true, true],
] as const)("a %s may edit: %s, run: %s", (role, edit, runs) => {
  expect([may(role, "edit"), may(role, "run")]).toEqual([edit, runs]);
});
