import { describe, expect, test } from "vitest";
import { keymap, nameOf, normal, type Press, Presses, shown } from "./keymap.js";

function press(key: string, parts: Partial<Press> = {}): Press {
  return { key, code: "", shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...parts };
}

describe("names of presses", () => {
  test.each([
    [press("a"), "a"],
    [press("A", { shiftKey: true }), "Shift-a"],
    [press("A"), "a"], // caps lock
    [press("?", { shiftKey: true }), "?"],
    [press(" "), "Space"],
    [press(" ", { shiftKey: true }), "Shift-Space"],
    [press("ArrowUp", { altKey: true }), "Alt-ArrowUp"],
    [press("Enter", { ctrlKey: true }), "Ctrl-Enter"],
    [press("ф", { code: "KeyA" }), "a"],
    [press("Я", { code: "KeyZ", shiftKey: true }), "Shift-z"],
    [press("Z", { metaKey: true, shiftKey: true }), "Meta-Shift-z"],
  ])("%o is %s", (event, want) => {
    expect(nameOf(event)).toBe(want);
  });

  test("Mod is the command key on a Mac and control elsewhere", () => {
    expect(normal("Mod-Shift-z", true)).toBe("Meta-Shift-z");
    expect(normal("Mod-Shift-z", false)).toBe("Ctrl-Shift-z");
  });

  test("are shown as people know them", () => {
    expect(shown("Mod-Shift-z", true)).toBe("⌘⇧Z");
    expect(shown("Mod-Shift-z", false)).toBe("Ctrl+Shift+Z");
    expect(shown("d d", false)).toBe("D D");
    expect(shown("Ctrl-Shift--", false)).toBe("Ctrl+Shift+−");
    expect(shown("Alt-ArrowUp", false)).toBe("Alt+↑");
  });
});

describe("presses", () => {
  const at = (key: string, timeStamp: number, repeat = false) => ({ ...press(key), timeStamp, repeat });

  test("two of d delete, if they come soon after each other", () => {
    const presses = new Presses(false);
    expect(presses.press(at("d", 0))).toBeUndefined();
    expect(presses.press(at("d", 400))?.action).toBe("delete");
    expect(presses.press(at("d", 500))).toBeUndefined();
    expect(presses.press(at("d", 1600))).toBeUndefined();
    expect(presses.press(at("d", 1700))?.action).toBe("delete");
  });

  test("another key between two of d does not delete", () => {
    const presses = new Presses(false);
    presses.press(at("d", 0));
    expect(presses.press(at("j", 10))?.action).toBe("next");
    expect(presses.press(at("d", 20))).toBeUndefined();
  });

  test("a key that is held down never deletes, but it moves on", () => {
    const presses = new Presses(false);
    presses.press(at("d", 0));
    expect(presses.press(at("d", 30, true))).toBeUndefined();
    expect(presses.press(at("d", 60, true))).toBeUndefined();
    expect(presses.press(at("j", 90, true))?.action).toBe("next");
    expect(presses.press(at("x", 120, true))).toBeUndefined();
  });

  test("the first of a pair is forgotten when the page was away", () => {
    const presses = new Presses(false);
    presses.press(at("0", 0));
    presses.forget();
    expect(presses.press(at("0", 10))).toBeUndefined();
  });
});

describe("the keymap", () => {
  test.each([true, false])("has no key twice in one mode (on a Mac: %s)", (mac) => {
    for (const mode of ["command", "edit"] as const) {
      const names = keymap
        .filter((row) => row.mode === mode || row.mode === "both")
        .flatMap((row) => [
          ...new Set(
            row.keys.map((key) =>
              key
                .split(" ")
                .map((part) => normal(part, mac))
                .join(" "),
            ),
          ),
        ]);
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    }
  });

  test("has no key that is also the first of a pair", () => {
    const keys = keymap.filter((row) => row.mode !== "edit").flatMap((row) => row.keys);
    const firsts = keys.filter((key) => key.includes(" ")).map((key) => key.split(" ")[0]);
    expect(keys.filter((key) => firsts.includes(key))).toEqual([]);
  });
});
