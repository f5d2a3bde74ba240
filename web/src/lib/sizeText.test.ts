import { expect, test } from "vitest";
import { sizeText } from "./sizeText.js";

test("sizes are for people", () => {
  expect([0, 999, 1000, 1_234_567, 5e9].map(sizeText)).toEqual(["0 B", "999 B", "1.00 kB", "1.23 MB", "5.00 GB"]);
});
