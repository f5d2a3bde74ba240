import { describe, expect, test } from "vitest";
import type { Status } from "../../core/view.js";
import { saveStatus } from "./saveStatus.js";

const online: Status = { seq: 128, pending: 0, online: true };

describe("what is said of what is saved", () => {
  test.each<[string, Status | undefined, string, string]>([
    ["before anything is known", undefined, "opening", "Opening…"],
    ["all is on disk", online, "saved", "Saved"],
    ["something is on its way", { ...online, pending: 2 }, "saving", "Saving…"],
    ["offline with one change", { ...online, online: false, pending: 1 }, "away", "Offline · 1 change kept here"],
    ["offline with many", { ...online, online: false, pending: 1200, trouble: "no answer" }, "away", "Offline · 1,200 changes kept here"],
    ["offline with none", { ...online, online: false, trouble: "no answer" }, "away", "Reconnecting…"],
    ["first connection", { seq: 0, pending: 0, online: false }, "opening", "Connecting…"],
    ["first connection of a page that the server has drawn", { seq: 7, pending: 0, online: false }, "opening", "Connecting…"],
    [
      "offline where the browser keeps nothing",
      { ...online, online: false, pending: 3, unstored: "private window" },
      "away",
      "Not stored in this browser: private window",
    ],
    ["ended by the server", { ...online, closed: { code: "forbidden", message: "no" } }, "ended", "Not connected"],
  ])("%s", (_, status, kind, text) => {
    expect(saveStatus(status)).toMatchObject({ kind, text });
  });

  test("never says saved while the core has not taken what was typed", () => {
    expect(saveStatus(online, true)).toMatchObject({ kind: "unsaved", text: "Not saved" });
    expect(saveStatus({ ...online, online: false, pending: 1 }, true).text).toBe("Not saved");
  });

  test("never says saved while something waits", () => {
    for (const pending of [1, 2, 1000])
      for (const isOnline of [true, false]) expect(saveStatus({ ...online, pending, online: isOnline }).text).not.toMatch(/^Saved/);
  });
});
