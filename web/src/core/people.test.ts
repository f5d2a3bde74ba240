// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { color, kindOf, nameOf, people } from "./people.js";
import type { Peer } from "./view.js";

function peer(client: string, actor: string, presence: Peer["presence"] = {}, self = false): Peer {
  return { client, actor, presence, self };
}

describe("people", () => {
  test("lists everyone once, oneself first, then people, then programs", () => {
    const list = people([
      peer("c1", "runtime:r1", { busy: true }),
      peer("c2", "person:zoe", { name: "Zoe", cell: "a" }),
      peer("c3", "person:ada", { name: "Ada", cell: "b" }),
      peer("c4", "person:zoe", { name: "Zoe", cell: "b" }),
      peer("c5", "person:me", {}, true),
    ]);
    expect(list.map((p) => p.actor)).toEqual(["person:me", "person:ada", "person:zoe", "runtime:r1"]);
    expect(list[2]?.cells).toEqual(["a", "b"]);
    expect(list[3]).toMatchObject({ kind: "runtime", busy: true });
  });

  test("does not say of oneself in which cell one is", () => {
    expect(people([peer("c1", "person:me", { cell: "a" }, true)])[0]?.cells).toEqual([]);
  });

  test("says in which cell one's own other page is", () => {
    const list = people([peer("c1", "person:me", { cell: "a" }, true), peer("c2", "person:me", { cell: "b" })]);
    expect(list[0]).toMatchObject({ self: true, cells: ["b"] });
  });
});

describe("names", () => {
  test("are the given ones, else what the server calls the actor, and never empty", () => {
    expect(nameOf("person:ada", "Ada L.")).toBe("Ada L.");
    expect(nameOf("person:ada", "  ")).toBe("ada");
    expect(nameOf("", "")).toBe("somebody");
    expect(kindOf("key:k1")).toBe("key");
    expect(kindOf("strange:k1")).toBe("person");
  });

  test("have a colour that stays the same, and many names use all colours", () => {
    const names = Array.from({ length: 200 }, (_, i) => `person:${i}`);
    expect(color("person:ada")).toBe(color("person:ada"));
    expect(new Set(names.map(color)).size).toBe(8);
  });
});

describe("the colours of people", () => {
  const tokens = readFileSync("src/ui/tokens.css", "utf8");
  const all = [...new Set(Array.from({ length: 200 }, (_, i) => color(`person:${i}`)))].map(pair);
  const token = (name: string): readonly string[] => pair(tokens.split(`--${name}: `)[1]?.split(";")[0] ?? "");

  test.each([0, 1])("read well on the page and under its letters (scheme %d)", (scheme) => {
    const ground = token("bg")[scheme] ?? "";
    for (const one of all) expect(contrast(one[scheme] ?? "", ground), one[scheme]).toBeGreaterThanOrEqual(7);
  });

  test.each([0, 1])("are not the colours of what failed and what went well (scheme %d)", (scheme) => {
    for (const state of ["error", "ok"]) {
      const said = token(state)[scheme] ?? "";
      for (const one of all) expect(distance(one[scheme] ?? "", said), `${one[scheme]} beside ${state}`).toBeGreaterThan(0.1);
    }
  });
});

/** Returns the light and the dark value of a colour. */
function pair(value: string): readonly string[] {
  return value.match(/#[0-9a-f]{6}/g) ?? [];
}

/** Returns the linear red, green and blue of a colour. */
function light(hex: string): readonly [number, number, number] {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [r ?? 0, g ?? 0, b ?? 0];
}

/** Returns the contrast ratio of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [a = 0, b = 0] = [one, other].map(light).map(([r, g, blue]) => 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05);
  return Math.max(a, b) / Math.min(a, b);
}

/** Returns the perceived distance of two colours, in OKLab (https://bottosson.github.io/posts/oklab/). */
function distance(one: string, other: string): number {
  const [a, b] = [lab(one), lab(other)];
  return Math.hypot(...a.map((part, i) => part - (b[i] ?? 0)));
}

function lab(hex: string): readonly number[] {
  const [r, g, b] = light(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
