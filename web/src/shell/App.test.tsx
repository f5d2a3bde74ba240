import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { MemoryServer } from "../../test/memoryServer.js";
import { preparePage } from "../../test/preparePage.js";
import { Router } from "../routing/router.js";
import { Session } from "../session/session.js";
import { App } from "./App.js";
import { ErrorBoundary } from "./ErrorBoundary.js";

preparePage();

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer();
  server.add("Plan");
});

function show(address: string) {
  history.replaceState(null, "", address);
  const session = new Session({ fetch: server.fetch });
  render(<App session={session} router={new Router(window)} />);
  return { user: userEvent.setup(), session };
}

const signedOut = { status: 401, code: "unauthenticated", detail: "sign in first" };

test("who is signed out is told how to go on, and goes on by itself with what they had typed", async () => {
  const { user, session } = show("/");
  await user.click(await screen.findByRole("button", { name: "Actions for Plan" }));
  await user.click(screen.getByRole("menuitem", { name: "Rename" }));
  const field = screen.getByRole("textbox", { name: "New title" });
  await user.type(field, " B");
  server.refuse = () => signedOut;
  window.dispatchEvent(new Event("focus"));
  expect(await screen.findByRole("dialog", { name: "You are signed out here" })).toBeTruthy();
  expect(screen.getByText("quire link")).toBeTruthy();
  server.refuse = () => undefined;
  await act(() => session.ask()); // as it does every few seconds
  expect(screen.queryByRole("dialog", { name: "You are signed out here" })).toBeNull();
  expect(screen.getByRole("textbox", { name: "New title" })).toBe(field);
  expect(screen.getByDisplayValue("Plan B")).toBe(field);
});

test("who does not want to wait looks again at once", async () => {
  server.refuse = () => signedOut;
  const { user } = show("/");
  await screen.findByRole("dialog", { name: "You are signed out here" });
  server.refuse = () => undefined;
  await user.click(screen.getByRole("button", { name: "Look again now" }));
  expect(await screen.findByRole("link", { name: "Plan" })).toBeTruthy();
});

test("a server that does not answer is a banner, and what was there stays", async () => {
  const { user } = show("/");
  await screen.findByRole("link", { name: "Plan" });
  server.refuse = () => "unreachable";
  window.dispatchEvent(new Event("focus"));
  expect(await screen.findByText(/The server does not answer. This page keeps trying/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Plan" })).toBeTruthy();
  server.refuse = () => undefined;
  await user.click(screen.getByRole("button", { name: "Try now" }));
  await waitFor(() => expect(screen.queryByText(/This page keeps trying/)).toBeNull());
});

test("an address that is none leads to the notebooks, and the focus goes along", async () => {
  const { user } = show("/elsewhere");
  expect(screen.getByRole("heading", { name: "There is nothing here" })).toBeTruthy();
  await user.click(screen.getByRole("link", { name: "Your notebooks" }));
  expect(await screen.findByRole("link", { name: "Plan" })).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("main")));
});

test("the first stop of the keyboard leads to the content", async () => {
  const { user } = show("/");
  await screen.findByRole("link", { name: "Plan" });
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole("link", { name: "Skip to content" }));
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

test("what breaks says what happened, and its details can be copied", async () => {
  const user = userEvent.setup(); // this installs a clipboard
  const wasError = console.error;
  console.error = () => undefined; // React reports it there too
  function Broken(): never {
    throw new Error("the cell has no kind");
  }
  render(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  );
  console.error = wasError;
  expect(screen.getByRole("alert").textContent).toBe("the cell has no kind");
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Copy details" }));
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  expect(await navigator.clipboard.readText()).toMatch(/the cell has no kind[^]*Broken/);
});
