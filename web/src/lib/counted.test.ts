import { expect, test } from "vitest";
import { counted } from "./counted.js";

test("things are counted", () => {
  expect(counted(1, "cell")).toBe("1 cell");
  expect(counted(0, "cell")).toBe("0 cells");
});
