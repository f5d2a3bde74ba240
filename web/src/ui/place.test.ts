// @vitest-environment node
import { expect, test } from "vitest";
import { placeBeside } from "./place.js";

const room = { width: 400, height: 300 };
const size = { width: 100, height: 20 };

test("it is below the middle of its anchor", () => {
  expect(placeBeside({ left: 180, top: 100, width: 40, height: 30 }, size, room)).toEqual({ left: 150, top: 136 });
});

test("it is above where there is no place below", () => {
  expect(placeBeside({ left: 180, top: 265, width: 40, height: 30 }, size, room)).toEqual({ left: 150, top: 239 });
});

test("it is never over the edges of the screen", () => {
  expect(placeBeside({ left: 0, top: 0, width: 10, height: 10 }, size, room).left).toBe(4);
  expect(placeBeside({ left: 390, top: 0, width: 10, height: 10 }, size, room).left).toBe(296);
  expect(placeBeside({ left: 0, top: 10, width: 10, height: 290 }, { width: 100, height: 60 }, room).top).toBe(4);
});
