// @vitest-environment node
import { expect, test } from "vitest";
import { sizeOfImage } from "./imageSize.js";

function base64(...bytes: readonly number[]): string {
  return btoa(String.fromCharCode(...bytes));
}

test.each([
  ["image/png", "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk", { width: 640, height: 480 }],
  ["image/gif", base64(71, 73, 70, 56, 57, 97, 0x2c, 0x01, 100, 0), { width: 300, height: 100 }],
  ["image/jpeg", base64(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 1, 34, 0), { width: 640, height: 480 }],
])("the size of %s is in its first bytes", (type, data, want) => {
  expect(sizeOfImage(type, data)).toEqual(want);
});

test.each([
  ["image/png", ""],
  ["image/png", "iVBORw0KGgo="],
  ["image/png", "%%%"],
  ["image/jpeg", base64(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ["image/webp", "UklGRg=="],
])("%s of %j has no size", (type, data) => {
  expect(sizeOfImage(type, data)).toBeUndefined();
});
