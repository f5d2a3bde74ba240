import { expect, test } from "vitest";
import { blobOf, fileName } from "./bytes.js";

async function bytesOf(blob: Blob): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => (reader.result instanceof ArrayBuffer ? resolve([...new Uint8Array(reader.result)]) : reject(new Error("no bytes")));
    reader.readAsArrayBuffer(blob);
  });
}

test.each<[string, unknown, readonly number[]]>([
  ["image/png", "AAEC\n", [0, 1, 2]],
  ["text/plain", "é", [0xc3, 0xa9]],
  ["text/html", ["a", "b"], [97, 98]],
  ["image/svg+xml", "AAEC", [65, 65, 69, 67]],
  ["application/json", 12, [49, 50]],
  ["application/vnd.x+json", "AAEC", [65, 65, 69, 67]],
  ["application/pdf", "AAEC", [0, 1, 2]],
  ["application/octet-stream", "AAEC", [0, 1, 2]],
  ["Image/PNG; v=1", "AAEC", [0, 1, 2]],
  ["application/x-custom", "abc", [97, 98, 99]],
  ["application/vnd.custom", "AAEC", [65, 65, 69, 67]],
  ["application/x-latex", "AAEC", [65, 65, 69, 67]],
  ["text/x-custom", "AAEC", [65, 65, 69, 67]],
  ["model/gltf", "AAEC", [65, 65, 69, 67]],
  ["application/pdf", "not base64!", [...new TextEncoder().encode("not base64!")]],
])("%s of %j is saved as what it is", async (type, value, want) => {
  expect(await bytesOf(blobOf(type, value))).toEqual(want);
});

test("files are named after their type", () => {
  expect(["image/png", "image/jpeg", "text/plain", "application/vnd.x+json", "application/x-unknown-thing"].map(fileName)).toEqual([
    "output.png",
    "output.jpg",
    "output.txt",
    "output.json",
    "output.bin",
  ]);
});
