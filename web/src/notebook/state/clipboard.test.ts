import { describe, expect, test } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import { Clipboard, copies, mime, parse, plain } from "./clipboard.js";

/** The data of a copy or paste event. */
class Data {
  readonly #data = new Map<string, string>();
  setData(type: string, text: string): void {
    this.#data.set(type, text);
  }
  getData(type: string): string {
    return this.#data.get(type) ?? "";
  }
}

const client = new MemoryClient([{ source: "a = 1" }, { kind: "markdown", source: "# B" }]);
client.output("c1", { kind: "stream", stream: "stdout", text: "out" });

describe("the clipboard", () => {
  test("has copies with their outputs, and the sources as text", () => {
    const items = copies(client.store, ["c1", "c2", "gone"]);
    expect(items).toEqual([
      { cellKind: "code", source: "a = 1", outputs: [{ kind: "stream", stream: "stdout", text: "out" }] },
      { cellKind: "markdown", source: "# B" },
    ]);
    expect(plain(items)).toBe("a = 1\n\n# B");
  });

  test("gives and takes cells by the browser's own copying", () => {
    const data: Pick<DataTransfer, "setData" | "getData"> = new Data();
    const items = copies(client.store, ["c1"]);
    new Clipboard().give(items, data);
    expect(new Clipboard().from(data, "code")).toEqual(items);
  });

  test("makes a cell of text from elsewhere, and nothing of none", () => {
    const data = new Data();
    expect(new Clipboard().from(data, "code")).toEqual([]);
    data.setData("text/plain", "x = 1\r\ny = 2");
    expect(new Clipboard().from(data, "code")).toEqual([{ cellKind: "code", source: "x = 1\ny = 2" }]);
  });

  test("knows its own cells again when only their text came back", async () => {
    const clipboard = new Clipboard();
    const items = copies(client.store, ["c1", "c2"]);
    await clipboard.put(items);
    expect(await clipboard.get()).toEqual(items);
    const data = new Data();
    data.setData("text/plain", plain(items));
    expect(clipboard.from(data, "code")).toEqual(items);
  });

  test.each(["", "null", "[]", "{}", "[1]", '[{"cellKind":"virus"}]', '[{"cellKind":"code","source":1}]', '[{"cellKind":"code","outputs":[{}]}]'])(
    "takes %s for no cells",
    (text) => {
      const data = new Data();
      data.setData(mime, text);
      expect(parse(text)).toBeUndefined();
      expect(new Clipboard().from(data, "code")).toEqual([]);
    },
  );
});
