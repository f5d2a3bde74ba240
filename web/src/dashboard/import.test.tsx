import { createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { MemoryServer } from "../../test/memoryServer.js";
import { preparePage } from "../../test/preparePage.js";
import { showDashboard, shownTitles } from "../../test/showDashboard.js";
import { nameParts } from "./imports.js";

preparePage();

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer();
  server.add("Here before");
});

/** Dispatches the events of files that are dragged over the page, or dropped on it. */
function drag(kind: "dragOver" | "drop" | "dragLeave", ...files: readonly File[]): boolean {
  const dataTransfer = { types: ["Files"], files, dropEffect: "none" };
  const event = createEvent[kind](document.body, { dataTransfer });
  Object.defineProperty(event, "relatedTarget", { value: null }); // jsdom lacks drag events
  return fireEvent(document.body, event);
}

test("a file that is dropped becomes a notebook, called what it is, and opens", async () => {
  showDashboard(server);
  await shownTitles();
  drag("drop", new File(["print(1)"], "Sales 2026.PY"));
  await waitFor(() => expect(location.pathname).toBe("/nb/n2/sales-2026"));
  expect(server.titles()).toEqual(["Here before", "Sales 2026"]);
  expect(server.requests).toContain("POST /api/notebooks/import?format=py");
});

test("a file that has a title keeps it", async () => {
  showDashboard(server);
  await shownTitles();
  drag("drop", new File(["# title: Census\n"], "file.py"));
  await waitFor(() => expect(location.pathname).toBe("/nb/n2/census"));
});

test("files are chosen with a button, and each that is refused says why", async () => {
  const { user } = showDashboard(server);
  await shownTitles();
  const files = [new File(["{}"], "one.ipynb"), new File(["damaged"], "two.ipynb"), new File(["text"], "three.md")];
  await user.upload(screen.getByLabelText("Files to import"), files);
  const panel = await screen.findByRole("region", { name: "Import" });
  expect(await within(panel).findByText("Imported 2 files, 1 could not be")).toBeTruthy();
  const rows = within(panel)
    .getAllByRole("listitem")
    .map((item) => item.textContent);
  expect(rows).toEqual(["one.ipynbOpen", "two.ipynbThe file is not a Jupyter notebook that can be read: it ends too early.", "three.mdOpen"]);
  expect(location.pathname).toBe("/"); // of several files none is opened
  await waitFor(async () => expect(await shownTitles()).toEqual(["three", "one", "Here before"]));
  await user.click(within(panel).getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("region", { name: "Import" })).toBeNull();
});

test("how far the files are is said while they are on their way", async () => {
  showDashboard(server);
  await shownTitles();
  let open = () => {};
  server.gate = new Promise<void>((resolve) => (open = resolve));
  drag("drop", new File(["a"], "a.md"), new File(["b"], "b.md"));
  const panel = await screen.findByRole("region", { name: "Import" });
  const progress = within(panel).getByRole("progressbar", { name: "Files imported" });
  expect([progress.getAttribute("max"), within(panel).getByRole("status").textContent]).toEqual(["2", "Importing 1 of 2"]);
  open();
  expect(await within(panel).findByText("Imported 2 files")).toBeTruthy();
});

test("something that cannot be read is not taken for a server that is away", async () => {
  const { session } = showDashboard(server);
  await shownTitles();
  const folder = new File([], "folder");
  folder.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotReadableError"));
  drag("drop", folder);
  expect(await screen.findByText(/drop the files in it/)).toBeTruthy();
  expect(session.standing()).toBe("here");
});

test("files that are held over the page are welcome, and what is dropped does not replace the page", async () => {
  showDashboard(server);
  await shownTitles();
  expect(drag("dragOver")).toBe(false); // the browser's default is prevented
  expect(await screen.findByText("Drop to import")).toBeTruthy();
  drag("dragLeave");
  await waitFor(() => expect(screen.queryByText("Drop to import")).toBeNull());
});

test("text that is dragged is none of ours", async () => {
  showDashboard(server);
  await shownTitles();
  const over = createEvent.dragOver(document.body, { dataTransfer: { types: ["text/plain"], files: [] } });
  expect(fireEvent(document.body, over)).toBe(true);
  expect(screen.queryByText("Drop to import")).toBeNull();
});

test.each([
  ["a.ipynb", "a", "ipynb"],
  ["archive.tar.MD", "archive.tar", "md"],
  ["Makefile", "Makefile", ""],
  [".hidden", ".hidden", ""],
])("the name %s has a stem and an ending", (name, stem, ending) => {
  expect(nameParts(name)).toEqual({ stem, ending });
});
