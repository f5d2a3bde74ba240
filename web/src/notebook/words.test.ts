// @vitest-environment node
import { describe, expect, test } from "vitest";
import type { Run, Runtime } from "../core/view.js";
import { health } from "./header/health.js";
import { duration, ordinal } from "./state/duration.js";
import { cellLabel } from "./state/label.js";
import { may } from "./state/role.js";
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
  [{ status: "cancelled", reason: "an earlier run of the same request did not end well" }, "Cell 3, code, not run: an earlier cell failed or was stopped"],
  [{ status: "ok", exited: true, reason: "the program ended itself" }, "Cell 3, code, ran in 0.2 s: the program ended itself"],
  [{ status: "skipped", reason: "the program ended at cell 2" }, "Cell 3, code, not run: the program ended at cell 2"],
  [{ status: "lost", reason: "the runtime stopped (lease)" }, "Cell 3, code, runtime lost: the runtime was away for too long"],
  [{ state: "pending" }, "Cell 3, code, queued"],
  [{ state: "started", cancelled: true }, "Cell 3, code, is stopping"],
])("a cell with run %o is called %s", (parts, want) => {
  expect(cellLabel(3, "code", parts && { ...run, ...parts })).toBe(want);
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
  const status = { seq: 1, pending: 0, online: true, ...(role && { role }) };
  expect([may(status, "edit"), may(status, "run")]).toEqual([edit, runs]);
});
