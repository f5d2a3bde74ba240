import type { FrameLocator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { displayed, importCells } from "./lib/ipynb.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server } = world();

const code = { cell_type: "code", outputs: [] };

/** Opens a notebook of an empty cell and an output with a script, and waits until the script has started. */
async function opened(html: string): Promise<{ readonly hers: NotebookPage; readonly frame: FrameLocator }> {
  const ada = await user();
  const page = await ada.page();
  await page.goto(`${server().url}/nb/${await importCells(server(), [code, displayed("text/html", `<p>here</p>${html}`)])}`);
  const hers = new NotebookPage(page);
  await hers.saved();
  const frame = page.frameLocator("iframe");
  const shown = (): Promise<boolean> => frame.getByText("here").isVisible();
  const stopped = (): Promise<boolean> => page.getByText("was stopped").isVisible();
  await eventually(async () => isElsewhere(page) || (await stopped()) || (await shown()), Boolean, "the script has started");
  return { hers, frame };
}

/** Reports whether an output navigated its frame elsewhere. */
function isElsewhere(page: Page): boolean {
  return page.frames().some((frame) => frame.parentFrame() !== null && !frame.url().endsWith("/frame/"));
}

/** Scripts that take the focus, each run every 50 ms. */
const takers: Readonly<Record<string, string>> = {
  "the window and a field": "focus(); o.focus()",
  "the fragment of a field": "location.hash = location.hash === '#o' ? '' : '#o'",
  "a selection in what can be edited": "const s = getSelection(); s.removeAllRanges(); s.selectAllChildren(e)",
  "a dialog": "d.close(); d.showModal()",
  "a frame within":
    "if (!document.querySelector('iframe')) { const f = document.createElement('iframe'); f.srcdoc = '<input id=i><script>setInterval(() => { parent.focus(); focus(); i.focus() }, 20)</' + 'script>'; document.body.append(f) } frames[0]?.focus()",
};

test.each(Object.keys(takers))("keys stay in the editor when an output takes the focus by %s", async (name) => {
  const { hers } = await opened(
    `<input id=o><p id=e contenteditable>e</p><dialog id=d><input autofocus></dialog><script>let n = 0; setInterval(() => { n++; ${takers[name] ?? ""} }, 50)</script>`,
  );
  await hers.editor(1).click();
  let [typed, lost] = ["", 0];
  for (const letter of "secretpassword") {
    // The page takes the focus back from a frame, or stops the frame.
    await eventually(() => hers.page.evaluate(() => document.activeElement?.closest(".cm-editor") !== null), Boolean, "the editor has the focus");
    await hers.page.keyboard.type(letter);
    if (await within(5000, async () => (await hers.source(1)) === typed + letter)) typed += letter;
    else lost++; // the frame had the focus at that moment
  }
  expect(lost, "keys that are lost").toBeLessThanOrEqual(2);
  expect(await hers.source(1)).toBe(typed);
});

/** Reports whether a condition holds within a time in milliseconds. */
async function within(time: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + time; Date.now() < end; await new Promise((done) => setTimeout(done, 30))) if (await holds()) return true;
  return holds();
}

test("a click in an output and Tab give it the focus", async () => {
  const { hers, frame } = await opened("<input id=o aria-label=name>");
  await hers.editor(1).click();
  await frame.getByLabel("name").click();
  await hers.page.keyboard.type("Ada");
  await eventually(
    () => frame.getByLabel("name").inputValue(),
    (value) => value === "Ada",
    "the field of the output",
  );
  await hers.editor(1).click();
  await hers.page.keyboard.type("x");
  await eventually(
    () => hers.source(1),
    (text) => text === "x",
    "the editor",
  );
  await hers.page.keyboard.press("Escape");
  for (let i = 0; i < 60 && !(await hers.page.evaluate(() => document.activeElement instanceof HTMLIFrameElement)); i++) await hers.page.keyboard.press("Tab");
  await hers.page.keyboard.type("b");
  await eventually(
    () => frame.getByLabel("name").inputValue(),
    (value) => value.includes("b"),
    "the field of the output",
  );
});

test("an output cannot write to the clipboard, and a selection in it can be copied", async () => {
  const { hers, frame } = await opened(
    `<p id=t>mine</p><button onclick="navigator.clipboard?.writeText('owned').catch(() => {}); const a = document.createElement('textarea'); a.value = 'owned'; document.body.append(a); a.select(); document.execCommand('copy'); a.remove(); said.textContent = 'pressed'">press</button><p id=said></p>` +
      "<script>document.addEventListener('copy', (e) => { e.clipboardData.setData('text/plain', 'owned'); e.preventDefault() })</script>",
  );
  await hers.page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server().url });
  const clipboard = (): Promise<string> => hers.page.evaluate(() => navigator.clipboard.readText());
  await hers.editor(1).click();
  await hers.page.evaluate(() => navigator.clipboard.writeText("before"));
  await frame.getByText("press", { exact: true }).click();
  await frame.getByText("pressed").waitFor();
  await hers.editor(1).click();
  expect(await clipboard()).toBe("before");
  await frame.locator("#t").click({ clickCount: 3 });
  await hers.page.keyboard.press("Control+c");
  await hers.editor(1).click();
  await eventually(clipboard, (text) => text.trim() === "mine", "the selection is copied");
});

test.each([
  ["fragments", "location.hash = i"],
  ["states", "history.pushState(i, '', '#' + i)"],
])("an output that navigates to many %s adds nothing to the history of the tab", async (_, go) => {
  const { hers, frame } = await opened(`<script>setTimeout(() => { for (let i = 1; i <= 40; i++) { ${go} } document.body.append('went') }, 300)</script>`);
  await frame.getByText("went").waitFor();
  await eventually(
    () => hers.page.frames()[1]?.evaluate(() => location.hash),
    (hash) => hash === "",
    "the frame has its first address",
  );
  const before = hers.page.url();
  await hers.page.evaluate(() => void setTimeout(() => history.back()));
  await eventually(
    () => hers.page.url(),
    (url) => url !== before,
    "Back leaves the page",
  );
});

test("an output that navigates its frame elsewhere is stopped, and Back leaves the page", async () => {
  const { hers } = await opened("<script>setTimeout(() => { location.href = '?1' }, 300)</script>");
  await hers.page.getByText("it led its frame to another address").waitFor();
  const before = hers.page.url();
  await hers.page.evaluate(() => void setTimeout(() => history.go(-2)));
  await eventually(
    () => hers.page.url(),
    (url) => url !== before,
    "Back leaves the page",
  );
});

test("a link of an output opens only after its whole address was shown", async () => {
  const address = `https://xn--80ak6aa92e.example/very/long/${"path/".repeat(20)}?key=SECRET\u202Emoc.knab`;
  const { hers, frame } = await opened(`<a href="${address.replace("xn--80ak6aa92e", "аррӏе")}">press</a>`);
  const bar = hers.page.getByRole("status").filter({ hasText: "in a new tab?" });
  const press = async (): Promise<boolean> => {
    if (!(await bar.isVisible())) await frame.getByText("press").click(); // the frame may move under the pointer when its height is set
    return bar.isVisible();
  };
  await eventually(press, Boolean, "the address is shown");
  expect(await bar.locator("code").innerText()).toBe(new URL(address).href);
  expect(await bar.locator("code").innerText()).toMatch(/^[\x20-\x7e]+key=SECRET%E2%80%AEmoc.knab$/);
  const box = await bar.locator("code").evaluate((code) => code.scrollWidth <= code.clientWidth);
  expect(box, "the address is wrapped").toBe(true);
});
