import { createServer, type Server } from "node:http";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import type { Artifact, Output } from "../../core/event.js";
import { ClientContext } from "../../core/hooks.js";
import { preferStored } from "../bundle/prefer.js";
import { Outputs } from "../Outputs.js";
import { ArtifactsContext, addressOf, artifactsOf, readText } from "./artifacts.js";

const stored = new Map<string, string>();
let asked: string[] = [];
let server: Server;
let base = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    asked.push(url.pathname + url.search);
    const text = stored.get(url.pathname.split("/").at(-1) ?? "");
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (text === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": url.searchParams.get("type") ?? "" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}${artifactsOf("nb")}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  stored.clear();
  asked = [];
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Stores a text with a claimed size. */
function artifact(text: string, size = text.length): Artifact {
  const hash = `${stored.size + 1}`.repeat(64).slice(0, 64);
  stored.set(hash, text);
  return { hash, size };
}

function show(output: Output): MemoryClient {
  const client = new MemoryClient([{}]);
  client.output("c1", output);
  render(
    <ClientContext value={client}>
      <ArtifactsContext value={base}>
        <Outputs cell="c1" />
      </ArtifactsContext>
    </ClientContext>,
  );
  return client;
}

test("a stored picture is one of the server's, of its type and size", () => {
  const one = artifact("bytes", 5_000_000);
  show({ kind: "display", data: { "text/plain": "<Figure>" }, artifacts: { "image/png": one }, metadata: { "image/png": { width: 640, height: 480 } } });
  const picture = screen.getByRole("img", { name: "<Figure>" });
  expect(picture.getAttribute("src")).toBe(`${base}/${one.hash}?type=image%2Fpng&name=output.png`);
  expect(picture.getAttribute("width")).toBe("640");
  expect(screen.queryByRole("link")).toBeNull();
});

test("a stored picture that does not come says so, and is asked for again", async () => {
  show({ kind: "display", artifacts: { "image/svg+xml": artifact("<svg/>") } });
  fireEvent.error(screen.getByRole("img"));
  expect(screen.getByText(/This picture \(image\/svg\+xml\) cannot be loaded/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(screen.getByRole("img").getAttribute("src")).toContain("type=image%2Fsvg%2Bxml");
});

test("what did not come while the server was away is asked for again when it is back", async () => {
  const away = (client: MemoryClient): void => act(() => client.status({ online: false, trouble: "no answer" }));
  const back = (client: MemoryClient): void => act(() => client.store.apply({ status: { seq: 0, pending: 0, online: true } }));
  const pictures = show({ kind: "display", artifacts: { "image/svg+xml": artifact("<svg/>") } });
  away(pictures);
  fireEvent.error(screen.getByRole("img"));
  expect(screen.queryByRole("img")).toBeNull();
  back(pictures);
  expect(screen.getByRole("img").getAttribute("src")).toContain("type=image%2Fsvg%2Bxml");
  cleanup();
  const gone = artifact("some text");
  stored.clear();
  const texts = show({ kind: "display", artifacts: { "text/markdown": gone } });
  away(texts);
  await screen.findByText(/could not be loaded/);
  stored.set(gone.hash, "some text");
  back(texts);
  expect(await screen.findByText("some text")).toBeDefined();
});

test("what a program printed beyond the log is read when it is wanted, in place of its part", async () => {
  const whole = artifact(Array.from({ length: 3000 }, (_, i) => `line ${i}`).join("\n"), 22_889);
  show({ kind: "stream", stream: "stdout", text: "the end\n", artifacts: { "text/plain": whole } });
  expect(screen.getByText("the end")).toBeDefined();
  expect(screen.getByText("This text has 22.9 kB, of which a part is shown.")).toBeDefined();
  expect(screen.queryByRole("link", { name: "Download" })).toBeNull();
  expect(screen.getAllByRole("button", { name: "Download output" }).length).toBe(1);
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Load all" }));
  expect(await screen.findByText("All 22.9 kB are shown.")).toBeDefined();
  expect(screen.getByText("line 0")).toBeDefined();
  expect(screen.queryByText("the end")).toBeNull();
  expect(screen.queryByRole("button", { name: "Load all" })).toBeNull();
  expect(asked).toEqual([`/api/notebooks/nb/artifacts/${whole.hash}?type=text%2Fplain&name=output.txt`]);
});

test("a text that lies in two outputs, the second with an artifact, is one box with one of each tool", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`);
  const rest = lines.slice(10).join("").slice(2);
  const client = new MemoryClient([{}]);
  client.output("c1", { kind: "stream", stream: "stdout", text: `${lines.slice(0, 10).join("")}li` });
  client.output("c1", { kind: "stream", stream: "stdout", text: "… left out …\nline 2999\n", artifacts: { "text/plain": artifact(rest) } });
  render(
    <ClientContext value={client}>
      <ArtifactsContext value={base}>
        <Outputs cell="c1" />
      </ArtifactsContext>
    </ClientContext>,
  );
  expect(screen.getAllByRole("group", { name: "Printed output" }).length).toBe(1);
  for (const name of ["Load all", "Copy output", "Find in output", "Download output"]) expect(screen.getAllByRole("button", { name }).length, name).toBe(1);
  const copied = vi.fn((items: readonly { readonly got: Promise<Blob> }[]) => items[0]?.got);
  vi.stubGlobal(
    "ClipboardItem",
    class {
      readonly got: unknown;
      constructor(parts: Readonly<Record<string, unknown>>) {
        this.got = parts["text/plain"];
      }
    },
  );
  vi.stubGlobal("navigator", { ...navigator, clipboard: { write: copied } });
  fireEvent.click(screen.getByRole("button", { name: "Copy output" }));
  expect(await (await copied.mock.results[0]?.value)?.text()).toBe(lines.join(""));
  vi.unstubAllGlobals();
  fireEvent.click(screen.getByRole("button", { name: "Load all" }));
  expect(await screen.findByText(/^All [\d.]+ kB are shown\.$/)).toBeDefined();
  expect(screen.getByText("line 10")).toBeDefined();
  expect(screen.queryByText(/left out/)).toBeNull();
});

test("outputs of one stream that follow each other are one text as they grow", () => {
  const client = new MemoryClient([{}]);
  client.output("c1", { kind: "stream", stream: "stdout", text: "one\ntw" });
  client.output("c1", { kind: "stream", stream: "stdout", text: "o\n" });
  client.output("c1", { kind: "stream", stream: "stderr", text: "a warning\n" });
  render(
    <ClientContext value={client}>
      <Outputs cell="c1" />
    </ClientContext>,
  );
  expect(
    screen
      .getAllByRole("group", { name: /output|Errors|Warnings/i })
      .filter((box) => /one|warning/.test(box.textContent ?? "") && box.ariaLabel !== "Output actions").length,
  ).toBe(2);
  act(() => client.store.apply({ appended: [{ output: "o2", drop: 2, text: "2\nthree\n" }] }));
  expect(screen.getByText("tw2")).toBeDefined();
  expect(screen.getByText("three")).toBeDefined();
});

test("to find something in a text of which a part is here, all of it is read", async () => {
  show({ kind: "stream", stream: "stdout", text: "begin\n… left out …\nend\n", artifacts: { "text/plain": artifact("begin\na needle\nend\n") } });
  fireEvent.click(screen.getByRole("button", { name: "Find in output" }));
  expect(await screen.findByText("a needle")).toBeDefined();
});

test("what is small is read at once, and what is large when it is wanted", async () => {
  const small = artifact(JSON.stringify({ answer: 42 }));
  show({ kind: "result", artifacts: { "application/json": small } });
  expect(await screen.findByRole("tree")).toBeDefined();
  expect(screen.queryByText(/application\/json/)).toBeNull();
  cleanup();
  asked = [];
  show({ kind: "result", data: { "text/plain": "a table" }, artifacts: { "text/html": artifact("<b>table</b>", 3_000_000) } });
  expect(screen.getByText("a table")).toBeDefined();
  expect(screen.getByText("text/html, 3.00 MB")).toBeDefined();
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Show" }));
  expect((await screen.findByTitle("Result")).tagName).toBe("IFRAME");
  expect(screen.queryByText("a table")).toBeNull();
});

test("what is too large to be shown, or can be shown by nobody, can be downloaded", () => {
  show({ kind: "display", artifacts: { "text/html": artifact("x", 200_000_000) } });
  expect(screen.getByText("text/html, 200 MB, too large to be shown here.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Show" })).toBeNull();
  expect(screen.getByRole("link", { name: "Download" })).toBeDefined();
  cleanup();
  show({ kind: "display", artifacts: { "application/pdf": artifact("%PDF") } });
  const link = screen.getByRole("link", { name: "Download application/pdf" });
  expect(link.getAttribute("href")).toMatch(/type=application%2Fpdf&name=output\.pdf$/);
  expect(link.getAttribute("download")).toBe("output.pdf");
  cleanup();
  show({ kind: "display", data: { "text/html": "<b>x</b>" }, artifacts: { "application/parquet": artifact("PAR1", 4_000_000) } });
  expect(screen.getByText("application/parquet, 4.00 MB")).toBeDefined();
});

test("what the server does not have any more is said, and can be asked for again", async () => {
  const gone = artifact("text");
  stored.clear();
  const client = show({ kind: "display", artifacts: { "text/markdown": gone } });
  expect(await screen.findByText("text/markdown, 4 B, could not be loaded: the server does not have it any more.")).toBeDefined();
  stored.set(gone.hash, "text");
  await userEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(await screen.findByText("text")).toBeDefined();
  act(() => client.store.apply({ outputs: [{ id: "o1", cell: "c1", value: { kind: "display", artifacts: { "text/markdown": artifact("other") } } }] }));
  expect(await screen.findByText("other")).toBeDefined();
});

test("no more is read than is shown, and that is said", async () => {
  const { hash, size } = artifact("é".repeat(100_000));
  let text = "";
  const read = await readText(addressOf(base, { hash, size }, "text/plain"), 1001, (piece) => (text += piece), new AbortController().signal);
  expect(read).toEqual({ bytes: 1001, cut: true });
  expect(text).toBe("é".repeat(500));
});

test("the best is shown, wherever it lies", () => {
  const one = { hash: "1", size: 1 };
  expect(preferStored({ kind: "display", data: { "text/plain": "x" }, artifacts: { "image/png": one } })?.type).toBe("image/png");
  expect(preferStored({ kind: "display", data: { "text/html": "x" }, artifacts: { "image/png": one } })).toBeUndefined();
  expect(preferStored({ kind: "display", artifacts: { "video/mp4": one } })).toBeUndefined();
  expect(preferStored({ kind: "display", artifacts: { "text/csv": one } })).toEqual({ look: "text", type: "text/csv", artifact: one });
});
