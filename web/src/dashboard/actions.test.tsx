import { screen, waitFor } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryServer } from "../../test/memoryServer.js";
import { preparePage } from "../../test/preparePage.js";
import { showDashboard, shownTitles } from "../../test/showDashboard.js";

preparePage();

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer();
  for (const title of ["Beta", "Alpha", "Gamma"]) server.add(title);
});

async function choose(user: UserEvent, title: string, item: string): Promise<void> {
  await shownTitles();
  await user.click(screen.getByRole("button", { name: `Actions for ${title}` }));
  await user.click(screen.getByRole("menuitem", { name: item }));
}

function focused(): string {
  return document.activeElement?.textContent ?? "";
}

describe("a new notebook is made and opened", () => {
  test("by its button, and pressing twice makes one", async () => {
    const { user } = showDashboard(server);
    await shownTitles();
    await user.dblClick(screen.getByRole("button", { name: "New notebook" }));
    await waitFor(() => expect(location.pathname).toBe("/nb/n4/untitled"));
    expect(server.titles()).toEqual(["Beta", "Alpha", "Gamma", "Untitled"]);
  });

  test("by its key", async () => {
    const { user } = showDashboard(server);
    await shownTitles();
    await user.keyboard("n");
    await waitFor(() => expect(location.pathname).toBe("/nb/n4/untitled"));
  });

  test("or one is told why not", async () => {
    const { user } = showDashboard(server);
    await shownTitles();
    server.refuse = () => ({ status: 503, code: "unavailable", detail: "the disk is full" });
    await user.keyboard("n");
    expect((await screen.findAllByText(/No notebook was created. The disk is full./)).length).toBeGreaterThan(0);
    expect(location.pathname).toBe("/");
  });
});

describe("a notebook is renamed in its row", () => {
  test("Enter keeps the new title, and the focus is on the notebook again", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    const field = screen.getByRole("textbox", { name: "New title" });
    expect(document.activeElement).toBe(field);
    await user.clear(field);
    await user.type(field, " Delta {Enter}");
    expect(await screen.findByRole("link", { name: "Delta" })).toBeTruthy();
    await waitFor(() => expect(focused()).toBe("Delta"));
    await waitFor(() => expect(server.titles()).toContain("Delta"));
  });

  test("while others change the list, the field keeps its place, focus and text", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "New title" });
    await user.clear(field);
    await user.type(field, "nn jj");
    const lists = (): number => server.requests.filter((request) => request.startsWith("GET /api/notebooks")).length;
    const before = lists();
    await server.fetch("/api/notebooks/n2", { method: "PATCH", body: JSON.stringify({ title: "Zulu" }) });
    await server.fetch("/api/notebooks/n1", { method: "DELETE" });
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(lists()).toBeGreaterThan(before));
    expect(await screen.findByRole("link", { name: "Zulu" })).toBeTruthy();
    await user.keyboard("kk");
    expect([document.activeElement, field.value]).toEqual([field, "nn jjkk"]);
    expect(server.titles()).toEqual(["Zulu", "Gamma"]);
  });

  test("a field that was left as it was does not take another's title back", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    await server.fetch("/api/notebooks/n1", { method: "PATCH", body: JSON.stringify({ title: "Theirs" }) });
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(server.requests.filter((request) => request.startsWith("GET /api/notebooks")).length).toBeGreaterThan(1));
    await user.keyboard("{Enter}");
    expect(await screen.findByRole("link", { name: "Theirs" })).toBeTruthy();
    expect(server.titles()).toContain("Theirs");
  });

  test("going elsewhere keeps it too", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    await user.type(screen.getByRole("textbox", { name: "New title" }), "!");
    await user.click(screen.getByRole("searchbox"));
    await waitFor(() => expect(server.titles()).toHaveLength(3));
    expect(screen.queryByRole("textbox", { name: "New title" })).toBeNull();
    await waitFor(() => expect(server.requests.some((request) => request.startsWith("PATCH"))).toBe(true));
  });

  test.each(["Other{Escape}", "{Enter}", "   {Enter}"])("%s leaves it as it is", async (keys) => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    if (!keys.startsWith("{")) await user.clear(screen.getByRole("textbox", { name: "New title" }));
    await user.keyboard(keys);
    await waitFor(() => expect(focused()).toBe("Beta"));
    expect(server.requests.some((request) => request.startsWith("PATCH"))).toBe(false);
  });

  test("a title that is refused is the old one again, and one is told why", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Beta", "Rename");
    server.refuse = (request) => (request.startsWith("PATCH") ? { status: 403, code: "forbidden", detail: "only its owner may rename it" } : undefined);
    await user.keyboard("Delta{Enter}");
    expect((await screen.findAllByText(/Only its owner may rename it/)).length).toBeGreaterThan(0);
    expect(await screen.findByRole("link", { name: "Beta" })).toBeTruthy();
  });
});

describe("a notebook is deleted", () => {
  test("at once, the focus goes to the next one, and Undo brings it back", async () => {
    const { user } = showDashboard(server);
    await choose(user, "Alpha", "Delete");
    await waitFor(async () => expect(await shownTitles()).toEqual(["Gamma", "Beta"]));
    await waitFor(() => expect(focused()).toBe("Beta"));
    await waitFor(() => expect(server.titles()).toEqual(["Beta", "Gamma"]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(async () => expect(await shownTitles()).toEqual(["Gamma", "Alpha", "Beta"]));
  });

  test("and restored from where the deleted ones are", async () => {
    server.add("Gone", { deleted: 5 });
    const { user } = showDashboard(server, "/?deleted=1");
    await user.click(await screen.findByRole("button", { name: "Restore Gone" }));
    expect(await screen.findByText(/Nothing is deleted/)).toBeTruthy();
    expect(server.titles()).toContain("Gone");
    await user.click(await screen.findByRole("button", { name: "Open" }));
    expect(location.pathname).toBe("/nb/n4/gone");
  });

  test("or is there again if the server refuses", async () => {
    const { user } = showDashboard(server);
    server.refuse = (request) => (request.startsWith("DELETE") ? { status: 503, code: "unavailable", detail: "try again later" } : undefined);
    await choose(user, "Alpha", "Delete");
    expect((await screen.findAllByText(/was not deleted. Try again later/)).length).toBeGreaterThan(0);
    expect(await shownTitles()).toHaveLength(3);
  });
});

test("a copy is made, and can be opened", async () => {
  const { user } = showDashboard(server);
  await choose(user, "Beta", "Duplicate");
  await user.click(await screen.findByRole("button", { name: "Open" }));
  expect(location.pathname).toBe("/nb/n4/beta-copy");
});

test("a notebook is saved as a file by links", async () => {
  const { user } = showDashboard(server);
  await shownTitles();
  await user.click(screen.getByRole("button", { name: "Actions for Beta" }));
  const formats = screen.getAllByRole("menuitem", { name: /^Export/ }).map((item) => item.getAttribute("href"));
  expect(formats).toEqual(["ipynb", "py", "md", "html"].map((format) => `/api/notebooks/n1/export?format=${format}`));
});

test("who may not change a notebook is not offered to", async () => {
  server.add("Hers", { owner: "ada", role: "editor" });
  const { user } = showDashboard(server);
  await shownTitles();
  await user.click(screen.getByRole("button", { name: "Actions for Hers" }));
  const disabled = (name: string) => screen.getByRole("menuitem", { name }).getAttribute("aria-disabled");
  expect([disabled("Rename"), disabled("Delete"), disabled("Duplicate")]).toEqual(["true", "true", null]);
});

test("keys walk through the list, search and open", async () => {
  const { user } = showDashboard(server);
  await shownTitles();
  const seen: string[] = [];
  for (const key of ["j", "{ArrowDown}", "j", "j", "k", "{ArrowUp}", "k"]) {
    await user.keyboard(key);
    seen.push(focused());
  }
  expect(seen).toEqual(["Gamma", "Alpha", "Beta", "Beta", "Alpha", "Gamma", "Gamma"]);
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  await user.keyboard("jn"); // letters, in a field
  expect(location.search).toBe("?q=jn");
  await user.keyboard("{Escape}");
  await shownTitles();
  await user.keyboard("{ArrowDown}{Enter}");
  expect(location.pathname).toBe("/nb/n3/gamma");
});
