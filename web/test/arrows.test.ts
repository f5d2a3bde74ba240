// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

/**
 * The folders of src, from the inside out: each may import itself and those named, which stand above it, and a folder
 * stands for those in it as well. "." is the folder of the two files that start the page.
 */
const arrows: readonly (readonly [folder: string, to: readonly string[]])[] = [
  ["lib", []], // knows nothing of Quire
  ["core", ["lib"]], // the notebook as the page knows it: rows in, commands out
  ["ui", ["lib"]], // knows nothing of notebooks
  ["frame", ["lib"]], // a program of its own, in the frames of outputs
  ["worker", ["core", "lib"]], // runs the core and keeps the connection and the storage
  ["offline", ["core", "worker"]],
  ["routing", ["core", "lib"]],
  ["session", ["core", "offline"]],
  ["grammars", ["core"]], // of the languages, for editors and for code in Markdown
  ["editor", ["core", "grammars", "lib", "ui"]],

  ["output/context", ["core"]], // set by the page around the outputs
  ["output/bundle", ["core"]], // the types of an output's data, and the best of them
  ["output/log", ["core", "lib", "output/context", "ui"]],
  ["output/error", ["core", "output/context", "output/log", "ui"]],
  ["output/json", ["core", "ui"]],
  ["output/html", ["core", "frame", "ui"]],
  ["output/image", ["core", "lib", "output/bundle", "output/html", "ui"]],
  ["output/markdown", ["grammars", "lib", "output/image", "ui"]],
  ["output/artifact", ["core", "lib", "output/bundle", "output/image", "output/log", "ui"]],
  ["output/assistant", ["core", "lib", "ui"]], // thinking, tool calls and cost of an answer
  ["output", ["core", "lib", "ui"]],

  ["notebook/state", ["core", "editor", "lib"]], // shared by the parts of the page
  ["notebook/cell", ["core", "editor", "lib", "notebook/state", "output", "ui"]],
  ["notebook/list", ["core", "lib", "notebook/cell", "notebook/state", "ui"]],
  ["notebook/header", ["core", "lib", "notebook/state", "routing", "ui"]],
  ["notebook/find", ["core", "editor", "lib", "notebook/state", "ui"]],
  ["notebook/panels", ["core", "lib", "notebook/find", "notebook/state", "ui"]],
  ["notebook/notices", ["core", "lib", "notebook/state", "output/context", "routing", "session", "ui"]],
  ["notebook", ["core", "editor", "lib", "output", "routing", "session", "ui", "worker"]],

  ["dashboard", ["core", "lib", "notebook/state", "routing", "session", "ui", "worker"]],
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
  if (covers(from, to)) return undefined;
  const allowed = arrows.find(([folder]) => folder === from)?.[1];
  if (!allowed) return `no arrow covers ${from}; give it one in test/arrows.test.ts`;
  if (allowed.some((folder) => covers(folder, to))) return undefined;
  return `${from} may import only itself and ${allowed.join(", ") || "nothing"}`;
}

function covers(folder: string, other: string): boolean {
  return other === folder || other.startsWith(`${folder}/`);
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
  { from: "output", to: "output/log", faulty: false },
  { from: "output/log", to: "output", faulty: true },
  { from: "shell", to: "notebook/cell", faulty: false },
  { from: "notebook/state", to: "notebook", faulty: true },
  { from: "notebook/unknown", to: "lib", faulty: true },
  { from: "ui", to: "core", faulty: true },
  { from: "output", to: "notebook", faulty: true },
  { from: "lib", to: "../test", faulty: true },
  { from: "libx", to: "lib", faulty: true },
  { from: "lib", to: "libx", faulty: true },
])("an import of $to by $from is faulty: $faulty", ({ from, to, faulty }) => {
  expect(faultOf({ file: "", from, to }) !== undefined).toBe(faulty);
});

test("every way to name a module is found", () => {
  const source =
    'import "./a.css";\nimport type { B } from "../b/b.js";\nexport { c } from "../../c.js";\nconst d = import("../d/d.js");\nimport url from "../e/e.ts?worker&url";\n@import "./f.css";';
  expect(namedIn(source)).toEqual(["./a.css", "../b/b.js", "../../c.js", "../d/d.js", "../e/e.ts?worker&url", "./f.css"]);
});

test("no arrow points outward, and each is used", () => {
  const above = new Set<string>();
  const used = uses();
  for (const [folder, to] of arrows) {
    expect([folder, to.filter((other) => ![...above].some((known) => covers(other, known)))]).toEqual([folder, []]);
    expect([folder, to.filter((other) => !used.some((use) => use.from === folder && covers(other, use.to)))]).toEqual([folder, []]);
    above.add(folder);
  }
});

/** Returns the imports of our own modules by all files of src but tests. */
function uses(): readonly Use[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  return files
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      namedIn(readFileSync(`src/${file}`, "utf8")).map((name) => ({
        file,
        from: posix.dirname(file),
        to: posix.dirname(posix.join(posix.dirname(file), name)),
      })),
    )
    .filter(({ to }) => to !== "worker/go"); // made by the Go compiler
}

function namedIn(source: string): readonly string[] {
  return [...source.matchAll(/(?:\bfrom|\bimport\(|\bimport|\bURL\() ?"(\.[^"]*)"/g)].map(([, name = ""]) => name);
}
