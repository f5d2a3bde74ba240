// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

/**
 * The folders of src, from the inside out: each may import itself and those named, which stand above it. "." is the
 * folder of the two files that start the page.
 */
const arrows: readonly (readonly [folder: string, to: readonly string[]])[] = [
  ["lib", []], // knows nothing of Quire
  ["core", ["lib"]],
  ["ui", ["lib"]], // knows nothing of notebooks
  ["frame", ["lib"]], // a program of its own, in the frames of outputs
  ["worker", ["core", "lib"]],
  ["offline", ["core", "worker"]],
  ["routing", ["core", "lib"]],
  ["session", ["core", "offline"]],
  ["editor", ["core", "lib", "ui"]],
  ["output", ["core", "frame", "lib", "ui"]],
  ["notebook", ["core", "editor", "lib", "output", "routing", "session", "ui", "worker"]],
  ["dashboard", ["core", "lib", "notebook", "routing", "session", "ui", "worker"]],
  ["shell", ["core", "dashboard", "lib", "notebook", "routing", "session", "ui"]],
  [".", ["lib", "offline", "routing", "session", "shell", "ui"]],
];

/** One import by a file that is no test: the folder of the file, and the folder that it names. */
interface Use {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

function faultOf({ from, to }: Use): string | undefined {
  if (from === to) return undefined;
  const allowed = arrows.find(([folder]) => folder === from)?.[1];
  if (!allowed) return `no arrow covers ${from}; give it one in test/arrows.test.ts`;
  if (allowed.includes(to)) return undefined;
  return `${from} may import only itself and ${allowed.join(", ") || "nothing"}`;
}

test("imports point inward", () => {
  const faults = uses().flatMap((use) => {
    const fault = faultOf(use);
    return fault === undefined ? [] : [`${use.file} imports ${use.to}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

test.each([
  { from: "core", to: "lib", faulty: false },
  { from: "core", to: "core", faulty: false },
  { from: "ui", to: "core", faulty: true },
  { from: "output", to: "notebook", faulty: true },
  { from: "lib", to: "..", faulty: true },
  { from: "libx", to: "lib", faulty: true },
  { from: "lib", to: "libx", faulty: true },
])("an import of $to by $from is faulty: $faulty", ({ from, to, faulty }) => {
  expect(faultOf({ file: "", from, to }) !== undefined).toBe(faulty);
});

test("every way to name a module is found", () => {
  const source = 'import "./a.css";\nimport type { B } from "../b/b.js";\nexport { c } from "../../c.js";\nconst d = import("../d/d.js");\nimport url from "../e/e.ts?worker&url";\n@import "./f.css";';
  expect(namedIn(source)).toEqual(["./a.css", "../b/b.js", "../../c.js", "../d/d.js", "../e/e.ts?worker&url", "./f.css"]);
});

test("no arrow points outward, and each is used", () => {
  const above = new Set<string>();
  const used = uses();
  for (const [folder, to] of arrows) {
    expect([folder, to.filter((other) => !above.has(other))]).toEqual([folder, []]);
    expect([folder, to.filter((other) => !used.some((use) => use.from === folder && use.to === other))]).toEqual([folder, []]);
    above.add(folder);
  }
});

/** Returns the imports of our own modules by all files of src but tests. */
function uses(): readonly Use[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  return files
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => namedIn(readFileSync(`src/${file}`, "utf8")).map((name) => ({ file, from: folderOf(file), to: folderOf(posix.join(posix.dirname(file), name)) })));
}

function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : ".";
}

function namedIn(source: string): readonly string[] {
  return [...source.matchAll(/(?:\bfrom|\bimport\(|\bimport|\bURL\() ?"(\.[^"]*)"/g)].map(([, name = ""]) => name);
}
