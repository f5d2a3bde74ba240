// @vitest-environment node
import { expect, test } from "vitest";
import { parseFromFrame, parseToFrame } from "./messages.js";

test("what a frame may say is taken", () => {
  for (const message of [
    { kind: "ready" },
    { kind: "height", height: 12.5 },
    { kind: "link", href: "https://example.com" },
    { kind: "escape" },
    { kind: "error", text: "no" },
  ]) {
    expect(parseFromFrame(message)).toEqual(message);
  }
});

test.each([
  undefined,
  null,
  "ready",
  12,
  [],
  {},
  { kind: "run" },
  { kind: "theme", css: "" },
  { kind: "show", look: "html", source: "x" },
  { kind: "height" },
  { kind: "height", height: "12" },
  { kind: "height", height: Number.NaN },
  { kind: "height", height: Number.POSITIVE_INFINITY },
  { kind: "height", height: -1 },
  { kind: "link" },
  { kind: "link", href: { toString: () => "https://example.com" } },
  { kind: "link", href: `https://example.com/${"x".repeat(9000)}` },
  { kind: "error", text: 1 },
  Object.create({ kind: "ready" }),
])("a frame that says %j says nothing", (message) => {
  expect(parseFromFrame(message)).toBeUndefined();
});

test("no more of a message is taken than what belongs to it", () => {
  expect(parseFromFrame({ kind: "escape", command: "runCells" })).toEqual({ kind: "escape" });
  expect(parseFromFrame({ kind: "error", text: "x".repeat(10_000) })).toEqual({ kind: "error", text: "x".repeat(500) });
});

test("a frame takes what the page says, and nothing else", () => {
  const show = { kind: "show", look: "html", source: "<b>" };
  expect(parseToFrame(show)).toEqual(show);
  expect(parseToFrame({ kind: "theme", css: "color:red" })).toEqual({ kind: "theme", css: "color:red" });
  for (const message of [null, { kind: "show" }, { kind: "show", look: "svg", source: "" }, { kind: "theme" }, { kind: "ready" }])
    expect(parseToFrame(message)).toBeUndefined();
});
