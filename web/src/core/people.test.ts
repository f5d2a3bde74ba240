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
