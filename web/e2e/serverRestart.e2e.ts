import { afterAll, beforeAll, test } from "vitest";
import { signIn } from "./lib/browser.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { Proxy, type Spoiled } from "./lib/proxy.js";
import { world } from "./lib/world.js";

const { person, server, notebook } = world();

let cable: Proxy;
beforeAll(async () => {
  cable = await Proxy.to(new URL(server().url));
});
afterAll(() => cable.close());

test.each([
  ["the core", /\/assets\/core-.*\.wasm/],
  ["the worker", /\/assets\/(?:shared)?worker-.*\.js/i],
  ["a script of the page", /\/assets\/(?:main|NotebookPage)-.*\.js/],
  ["the first script and the styles", /\/assets\/index-.*\.(?:js|css)/],
] as const)("%s does not come while the server restarts: all comes right by itself, in that tab and later ones", async (_, path) => {
  const ada = await person({ serviceWorkers: "block" }); // else what a tab has kept is there for all later ones
  const page = await ada.page();
  await signIn(page, cable.through(await server().link()));
  await page.goto("about:blank");
  for (const way of ["refused", "bad gateway", "cut"] satisfies Spoiled[]) {
    const id = await notebook("start"); // each has a worker of its own
    cable.pull();
    cable.plug();
    let asked = 0;
    cable.spoil = (address) => {
      if (!path.test(address)) return undefined;
      asked++;
      return way;
    };
    const tab = await ada.page();
    await forget(tab);
    await tab.goto(cable.through(`${server().url}/nb/${id}`));
    await eventually(
      () => asked,
      (n) => n >= 2,
      `${way}: it is asked for again`,
    );
    cable.spoil = () => undefined;
    const hers = new NotebookPage(tab);
    await hers.type(1, "");
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type("!");
    await hers.saved();
    await eventually(
      () => tab.getByText(/still loading/).count(),
      (n) => n === 0,
      "nothing says that it is loading",
    );
    const later = await ada.page();
    await later.goto(cable.through(`${server().url}/nb/${id}`));
    await new NotebookPage(later).saved();
    await later.close();
    await tab.close();
    await eventually(
      () => server().quire("show", id),
      (shown) => shown.includes("start!"),
      way,
    );
  }
});

/** Has a tab forget what it has of the page, as a browser does that opens it for the first time. */
async function forget(page: Awaited<ReturnType<Awaited<ReturnType<typeof person>>["page"]>>): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.clearBrowserCache");
}
