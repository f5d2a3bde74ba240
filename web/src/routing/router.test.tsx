import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { preparePage } from "../../test/preparePage.js";
import { Link } from "./Link.js";
import { addressOf, dashboard, notebook } from "./route.js";
import { Router, RouterContext, useRoute, useTitleInAddress } from "./router.js";

preparePage();
beforeEach(() => history.replaceState(null, "", "/"));

function Where() {
  return <output>{addressOf(useRoute())}</output>;
}

function show(children: React.ReactNode = null) {
  const router = new Router(window);
  render(
    <RouterContext value={router}>
      <Where />
      {children}
    </RouterContext>,
  );
  return router;
}

test("a link is a real one, and a plain click goes there without loading the page", async () => {
  show(<Link to={notebook("n1", "Plan")}>Open</Link>);
  const link = screen.getByRole("link", { name: "Open" });
  expect(link.getAttribute("href")).toBe("/nb/n1/plan");
  await userEvent.click(link);
  expect(screen.getByRole("status").textContent).toBe("/nb/n1/plan");
  expect(location.pathname).toBe("/nb/n1/plan");
});

test("a click for another tab is left to the browser", async () => {
  show(
    // A browser would open a tab; jsdom would report an error.
    <div onClick={(event) => event.preventDefault()}>
      <Link to={notebook("n1", "Plan")}>Open</Link>
    </div>,
  );
  const user = userEvent.setup();
  await user.keyboard("{Control>}");
  await user.click(screen.getByRole("link"));
  expect(location.pathname).toBe("/");
});

test("the browser's way back is followed", async () => {
  const router = show();
  const stop = router.start();
  router.go(notebook("n1", ""));
  history.back();
  expect(await screen.findByText("/")).toBeTruthy();
  expect(router.moved()).toBe(true);
  stop();
});

test("what is replaced is no step on the way back", () => {
  const router = show();
  const steps = history.length;
  router.replace(dashboard({ search: "plan", sort: "changed", order: "desc", deleted: false }));
  expect([location.search, history.length, router.moved()]).toEqual(["?q=plan", steps, false]);
});

test("the address of a notebook comes to say its title", () => {
  history.replaceState(null, "", "/nb/n1/old-name");
  function Titled() {
    useTitleInAddress("n1", "New name");
    return null;
  }
  const steps = history.length;
  show(<Titled />);
  expect([location.pathname, history.length]).toEqual(["/nb/n1/new-name", steps]);
});
