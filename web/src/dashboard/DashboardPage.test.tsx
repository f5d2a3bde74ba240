import { screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryServer } from "../../test/memoryServer.js";
import { preparePage } from "../../test/preparePage.js";
import { showDashboard, shownTitles } from "../../test/showDashboard.js";

preparePage();

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer();
});

/** Adds three notebooks to the server. The last one changed last. */
function three(): void {
  for (const title of ["Beta", "alpha", "Gamma"]) server.add(title);
}

test("notebooks are listed, those changed last first, and each is a link", async () => {
  three();
  showDashboard(server);
  expect(await shownTitles()).toEqual(["Gamma", "alpha", "Beta"]);
  expect(screen.getByRole("link", { name: "Gamma" }).getAttribute("href")).toBe("/nb/n3/gamma");
});

test("without notebooks the page says what to do", async () => {
  showDashboard(server);
  expect(await screen.findByRole("heading", { name: "Your first notebook" })).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "New notebook" })).toHaveLength(1);
  expect(screen.getByText(/drop .ipynb, .py or .md files/)).toBeTruthy();
});

test("while the notebooks are on their way the page says so", () => {
  showDashboard(server);
  expect(screen.getByText("Loading notebooks")).toBeTruthy();
});

test("an error has a reason, and can be tried again", async () => {
  three();
  server.refuse = (request) => (request.startsWith("GET /api/notebooks") ? { status: 503, code: "unavailable", detail: "the disk is full" } : undefined);
  const { user } = showDashboard(server);
  expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
  server.refuse = () => undefined;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await shownTitles()).toHaveLength(3);
});

test("who owns a notebook and how many cells it has is said where it tells something", async () => {
  server.add("Mine");
  server.add("Hers", { owner: "ada", role: "viewer", cells: 12 });
  showDashboard(server);
  await shownTitles();
  expect(await screen.findByText("by ada")).toBeTruthy();
  expect(screen.getByText("12 cells")).toBeTruthy();
  expect(screen.queryByText("by owner")).toBeNull();
});

describe("the address has all that the list is shown by", () => {
  test("a search is in it as one types, and finds titles", async () => {
    three();
    const { user } = showDashboard(server);
    await shownTitles();
    const steps = history.length;
    await user.type(screen.getByRole("searchbox", { name: "Search titles" }), "a b");
    expect([location.search, history.length]).toEqual(["?q=a+b", steps]);
    await waitFor(async () => expect(await shownTitles()).toEqual(["Beta"]));
  });

  test("a search that finds nothing says so, and leads back", async () => {
    three();
    const { user } = showDashboard(server, "/?q=zzz");
    expect(await screen.findByText(/in its title/)).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "Show all" }));
    expect(await shownTitles()).toHaveLength(3);
    expect(location.search).toBe("");
  });

  test("Escape empties the search", async () => {
    three();
    const { user } = showDashboard(server, "/?q=beta");
    await user.type(screen.getByRole("searchbox"), "{Escape}");
    await waitFor(async () => expect(await shownTitles()).toHaveLength(3));
  });

  test("the head of a column sorts by it, and again the other way around", async () => {
    three();
    const { user } = showDashboard(server);
    await shownTitles();
    const head = screen.getByRole("columnheader", { name: "Title" });
    await user.click(within(head).getByRole("button"));
    await waitFor(async () => expect(await shownTitles()).toEqual(["alpha", "Beta", "Gamma"]));
    expect([location.search, head.getAttribute("aria-sort")]).toEqual(["?sort=title", "ascending"]);
    await user.click(within(head).getByRole("button"));
    await waitFor(async () => expect(await shownTitles()).toEqual(["Gamma", "Beta", "alpha"]));
    expect([location.search, head.getAttribute("aria-sort")]).toEqual(["?sort=title&order=desc", "descending"]);
  });

  test("without heads of columns a menu sorts", async () => {
    three();
    const { user } = showDashboard(server);
    await shownTitles();
    await user.click(screen.getByRole("button", { name: "Sort by: Changed" }));
    await user.click(screen.getByRole("menuitem", { name: "The other way around" }));
    await waitFor(async () => expect(await shownTitles()).toEqual(["Beta", "alpha", "Gamma"]));
    await user.click(screen.getByRole("button", { name: "Sort by: Changed" }));
    await user.click(screen.getByRole("menuitemcheckbox", { name: "Title" }));
    await waitFor(async () => expect(await shownTitles()).toEqual(["alpha", "Beta", "Gamma"]));
  });

  test("the deleted ones are at an address of their own", async () => {
    three();
    server.add("Gone", { deleted: 5 });
    const { user } = showDashboard(server);
    await shownTitles();
    await user.click(screen.getByRole("link", { name: "Deleted" }));
    await waitFor(async () => expect(await shownTitles()).toEqual(["Gone"]));
    expect(location.search).toBe("?deleted=1");
    expect(screen.getByRole("link", { name: "Deleted" }).getAttribute("aria-current")).toBe("page");
  });
});

test("a list of more than a page goes on when asked, and stays so", async () => {
  server.pageSize = 2;
  three();
  const { user } = showDashboard(server);
  expect(await shownTitles()).toHaveLength(2);
  await user.click(screen.getByRole("button", { name: "Show more" }));
  await waitFor(async () => expect(await shownTitles()).toHaveLength(3));
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  window.dispatchEvent(new Event("focus"));
  await waitFor(() => expect(server.requests.filter((r) => r.includes("after=")).length).toBeGreaterThan(1));
  expect(await shownTitles()).toHaveLength(3);
});

test("what others changed is there when one comes back to the page", async () => {
  three();
  showDashboard(server);
  await shownTitles();
  server.add("New elsewhere");
  window.dispatchEvent(new Event("focus"));
  await waitFor(async () => expect((await shownTitles())[0]).toBe("New elsewhere"));
});

test("what is there stays while the server does not answer, and is renewed when it does", async () => {
  three();
  const { session } = showDashboard(server);
  await shownTitles();
  server.refuse = () => "unreachable";
  window.dispatchEvent(new Event("focus"));
  await waitFor(() => expect(session.standing()).toBe("unreachable"));
  expect(await shownTitles()).toHaveLength(3);
  server.refuse = () => undefined;
  server.add("Meanwhile");
  await session.ask();
  await waitFor(async () => expect(await shownTitles()).toHaveLength(4));
});

const hostile = ["<img src=x onerror=alert(1)>", "invoice \u202egpj.exe", "x".repeat(1024), "\u200b", "a\u0000\nb"] as const;

test("hostile names are text everywhere, and nothing around them changes", async () => {
  for (const title of hostile) server.add(title, { owner: "\u202eeve<b>", role: "viewer" });
  const { user, container } = showDashboard(server);
  expect(await shownTitles()).toEqual(["a b", "Untitled", "x".repeat(1024), "invoice gpj.exe", "<img src=x onerror=alert(1)>"]);
  expect(await screen.findAllByText("by eve<b>")).toHaveLength(hostile.length);
  expect(container.querySelector("img[src=x], bdi b")).toBeNull();
  const buttons = screen.getAllByRole("button", { name: /^Actions for/ }).map((button) => button.getAttribute("aria-label") ?? "");
  for (const label of buttons) expect(label).toMatch(/^[^\p{C}]{1,80}$/u);
  await user.click(screen.getByRole("button", { name: "Actions for Untitled" }));
  await user.click(screen.getByRole("menuitem", { name: "Duplicate" }));
  expect(document.body.textContent).not.toMatch(/\p{C}/u);
  expect(document.title).toBe("Quire");
});

describe("axe finds nothing serious", () => {
  // jsdom paints nothing, so contrast is checked in a browser.
  const options: axe.RunOptions = { rules: { "color-contrast": { enabled: false } } };
  async function violations(): Promise<readonly string[]> {
    const { violations } = await axe.run(document.body, options);
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }

  test("on a page with notebooks", async () => {
    three();
    showDashboard(server);
    await shownTitles();
    expect(await violations()).toEqual([]);
  });

  test("on a page without", async () => {
    showDashboard(server);
    await screen.findByRole("heading", { name: "Your first notebook" });
    expect(await violations()).toEqual([]);
  });

  test("in the menu of a notebook", async () => {
    three();
    const { user } = showDashboard(server);
    await shownTitles();
    await user.click(screen.getByRole("button", { name: "Actions for Beta" }));
    expect(await violations()).toEqual([]);
  });
});
