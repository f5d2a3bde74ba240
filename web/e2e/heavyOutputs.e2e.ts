import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { displayed, importCells } from "./lib/ipynb.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server } = world();

const code = { cell_type: "code", outputs: [] };

/** Opens a notebook of an empty cell and the given cells. */
async function opened(...cells: readonly object[]): Promise<NotebookPage> {
  const ada = await user();
  const page = await ada.page();
  await page.goto(`${server().url}/nb/${await importCells(server(), [code, ...cells])}`);
  const hers = new NotebookPage(page);
  await hers.saved();
  return hers;
}

/** Fails unless the page accepts text and paints. */
async function lives(hers: NotebookPage): Promise<void> {
  await hers.editor(1).click();
  await hers.page.keyboard.type("alive");
  await eventually(
    () => hers.source(1),
    (text) => text.includes("alive"),
    "the editor shows the text",
  );
  await hers.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Returns the longest time, in milliseconds, for which the page was blocked during an operation. */
async function longest(page: Page, during: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    let [last, most] = [performance.now(), 0];
    const timer = setInterval(() => {
      const now = performance.now();
      most = Math.max(most, now - last);
      last = now;
    }, 10);
    Reflect.set(window, "longest", () => (clearInterval(timer), most));
  });
  await during();
  return page.evaluate((): number => Reflect.get(window, "longest")());
}

const floods: Readonly<Record<string, string>> = {
  "messages in a loop": "function f() { for (let i = 0; i < 1e4; i++) parent.postMessage(0, '*'); setTimeout(f) } f()",
  "messages to the top in turns": "setInterval(() => { for (let i = 0; i < 1000; i++) top.postMessage({ kind: 'height', height: i % 9 }, '*') }, 1)",
  "messages of many megabytes":
    "const m = Array(3e5).fill(0).map((_, i) => ({ i })); setInterval(() => { parent.postMessage(m, '*'); for (let i = 0; i < 500; i++) parent.postMessage(0, '*') }, 500)",
  channels:
    "setInterval(() => { for (let i = 0; i < 50; i++) { const c = new MessageChannel(); parent.postMessage(0, '*', [c.port2]); c.port1.postMessage('x'.repeat(1e5)) } }, 10)",
  "messages from a frame within":
    "const f = document.createElement('iframe'); f.srcdoc = '<script>setInterval(() => { for (let i = 0; i < 1e4; i++) top.postMessage(0, \"*\") }, 1)</' + 'script>'; document.body.append(f); setInterval(() => { for (let i = 0; i < 1e4; i++) parent.postMessage(0, '*') }, 1)",
};

test.each(Object.keys(floods))("an output that sends %s is stopped, and shown again on request", async (name) => {
  const hers = await opened(displayed("text/html", `<p>flood</p><script>setTimeout(() => { ${floods[name] ?? ""} }, 50)</script>`));
  const notice = hers.page.getByText("it sent the page more messages than it can read");
  await notice.waitFor();
  expect(await hers.page.locator("iframe").count()).toBe(0);
  await lives(hers);
  await hers.page.getByRole("button", { name: "Show again" }).click();
  await notice.waitFor(); // possibly before its first notice was removed
  await lives(hers);
});

test("an output in an endless loop does not block the page", async () => {
  const hers = await opened(displayed("text/html", "<script>const c = new BroadcastChannel('quire'); for (;;) c.postMessage(0)</script>"));
  await hers.page.locator("iframe").waitFor();
  expect(await longest(hers.page, () => lives(hers))).toBeLessThan(10_000);
});

const uses = (id: string): string => `<use href="#${id}"/>`.repeat(10);
const bomb = `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><rect id="g0" width="9" height="9"/>${Array.from({ length: 9 }, (_, i) => `<g id="g${i + 1}">${uses(`g${i}`)}</g>`).join("")}</svg>`;
const effects = `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><filter id="f">${"<feTurbulence numOctaves='255' baseFrequency='0.9'/><feMorphology radius='99'/>".repeat(300)}</filter><rect width="99" height="99" filter="url(#f)"/></svg>`;

/** Cells that the page itself renders, outside a frame, and that could block it. */
const heavy: Readonly<Record<string, object>> = {
  "a drawing of uses of uses": displayed("image/svg+xml", bomb),
  "a drawing with effects": displayed("image/svg+xml", effects),
  "a drawing of entities": displayed(
    "image/svg+xml",
    `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i} "${`&${i === 0 ? "a" : `a${i - 1}`};`.repeat(10)}">`).join("")}]><svg xmlns="http://www.w3.org/2000/svg"><text>&a8;</text></svg>`,
  ),
  "a drawing in Markdown": { cell_type: "markdown", source: `![p](data:image/svg+xml;base64,${btoa(bomb)})` },
  "deep fractions": { cell_type: "markdown", source: `$$${"\\frac{1}{".repeat(800)}x${"}".repeat(800)}$$` },
  "a long formula": displayed("text/latex", `$${"\\sqrt{x}+".repeat(40_000)}1$`),
  "a formula that defines much": displayed("text/latex", `$\\def\\a{${"x".repeat(1400)}}${"\\a".repeat(700)}$`),
  "deep elements": { cell_type: "markdown", source: "<b>".repeat(100_000) },
  "styles that each paragraph begins again": { cell_type: "markdown", source: "<b><i><s>".repeat(100) + "<p>x".repeat(9000) },
  "a table of many cells": { cell_type: "markdown", source: `|a|\n|-|\n${"|a|\n".repeat(100_000)}` },
  "quotes, lists and folded parts": displayed("text/markdown", `${">".repeat(50_000)}\n\n${"- ".repeat(50_000)}\n\n${"<details>x</details>".repeat(9_000)}`),
  "a line of five million letters": { cell_type: "code", outputs: [{ output_type: "stream", name: "stdout", text: "x".repeat(5_000_000) }] },
  "colours that change with each letter": {
    cell_type: "code",
    outputs: [{ output_type: "stream", name: "stdout", text: "\u001b[31mx\u001b[42my".repeat(100_000) }],
  },
  "marks on marks and turns of direction": displayed("text/plain", `${"Z\u0351\u036b\u0343".repeat(50_000)}${"\u202e\u2066x".repeat(50_000)}`),
  "JSON that is deep and wide": displayed("application/json", {
    deep: JSON.parse("[".repeat(400) + "]".repeat(400)),
    wide: Array.from({ length: 200_000 }, (_, i) => i),
  }),
  "thousands of outputs": {
    cell_type: "code",
    outputs: Array.from({ length: 3000 }, (_, i) => ({ output_type: "display_data", metadata: {}, data: { "text/html": `<p>${i}</p>` } })),
  },
  "an error of many lines": {
    cell_type: "code",
    outputs: [
      { output_type: "error", ename: "E".repeat(100_000), evalue: "v".repeat(1_000_000), traceback: Array.from({ length: 20_000 }, () => "\u001b[31mline") },
    ],
  },
};

test.each(Object.keys(heavy))("a notebook with %s opens and can be edited", async (name) => {
  const hers = await opened(heavy[name] ?? {});
  await lives(hers);
  await hers.page.reload();
  await hers.saved();
  await lives(hers);
});

test("a notebook is opened without outputs, and they are cleared there", async () => {
  const hers = await opened(displayed("text/html", "<p>here</p>"), { cell_type: "markdown", source: "**bold**" });
  await hers.page.frameLocator("iframe").getByText("here").waitFor();
  await hers.page.getByRole("button", { name: "More", exact: true }).click();
  await hers.page.getByRole("menuitem", { name: "Open without outputs" }).click();
  await hers.page.getByText("Outputs are not shown").waitFor();
  await hers.cell(2).getByText("1 output not shown").waitFor();
  await hers.cell(3).getByText("**bold**").waitFor();
  expect(await hers.page.locator("iframe").count()).toBe(0);
  await hers.page.getByRole("button", { name: "Clear all outputs" }).click();
  await hers.cell(2).getByText("1 output not shown").waitFor({ state: "hidden" });
  await hers.page.getByRole("button", { name: "Show outputs" }).click();
  await hers.cell(3).locator("strong").waitFor();
  expect(await hers.page.locator("iframe").count()).toBe(0);
});
