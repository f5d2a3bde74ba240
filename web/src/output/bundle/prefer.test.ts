// @vitest-environment node
import { expect, test } from "vitest";
import { prefer } from "./prefer.js";

test.each<[string, readonly string[], string | undefined]>([
  ["a data frame", ["text/plain", "text/html"], "text/html"],
  ["a figure", ["text/plain", "image/png"], "image/png"],
  ["a figure in two forms", ["image/png", "image/svg+xml", "text/plain"], "image/svg+xml"],
  ["a formula", ["text/plain", "text/latex"], "text/latex"],
  ["Markdown", ["text/plain", "text/markdown"], "text/markdown"],
  ["a dictionary", ["text/plain", "application/json"], "application/json"],
  ["a chart that has HTML", ["application/vnd.plotly.v1+json", "text/html"], "text/html"],
  ["a chart that has a picture", ["application/vnd.vegalite.v5+json", "image/png", "text/plain"], "image/png"],
  ["a widget", ["application/vnd.jupyter.widget-view+json", "text/plain"], "text/plain"],
  ["a chart alone", ["application/vnd.vega.v5+json"], "application/vnd.vega.v5+json"],
  ["other text", ["text/csv", "application/octet-stream"], "text/csv"],
  ["a type with a parameter", ["text/plain; charset=utf-8"], "text/plain; charset=utf-8"],
  ["bytes that nothing is known of", ["application/octet-stream", "audio/wav"], undefined],
  ["nothing", [], undefined],
])("%s is shown as the best that it has", (_, types, want) => {
  expect(prefer(Object.fromEntries(types.map((type) => [type, "x"])))?.type).toBe(want);
});

test("what is not text is not shown as text", () => {
  expect(prefer({ "text/html": { a: 1 }, "text/plain": "x" })?.type).toBe("text/plain");
  expect(prefer({ "text/html": ["<b>", "x</b>"] })?.type).toBe("text/html");
  expect(prefer({ "image/png": null, "application/x+json": null })?.type).toBe("application/x+json");
});
