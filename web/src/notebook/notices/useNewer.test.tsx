import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import { ClientContext } from "../../core/hooks.js";
import { Clipboard } from "../state/clipboard.js";
import { HeldKeys } from "../state/heldKeys.js";
import { LostFocus } from "../state/lostFocus.js";
import type { Page } from "../state/page.js";
import { UIState } from "../state/uiState.js";
import { useNewer } from "./useNewer.js";

const reload = vi.fn();

function Notice({ page }: { readonly page: Page }) {
  return <p>{useNewer(page, reload).reloads ? "reloads" : "stays"}</p>;
}

const older = { online: false, closed: { code: "version", message: "this speaks 1, the server 2" } } as const;

/** Renders a page, connected by default, and returns a function that reports a newer server. */
function show(online = true): { readonly client: MemoryClient; readonly tell: () => void } {
  const client = new MemoryClient([{ source: "x" }]);
  client.status({ online });
  const ui = new UIState(() => ["c1"]);
  const page: Page = {
    id: "nb",
    client,
    ui,
    mac: false,
    list: { current: undefined },
    hold: { current: undefined },
    lostFocus: new LostFocus(),
    heldKeys: new HeldKeys(),
    editorKeymap: [],
    note: () => () => {},
    act: () => {},
    clipboard: new Clipboard(),
    restartRuntime: async () => {},
    stopRuntime: async () => {},
  };
  render(
    <ClientContext value={client}>
      <Notice page={page} />
      <input aria-label="Answer" />
    </ClientContext>,
  );
  return { client, tell: () => act(() => client.status(older)) };
}

const pass = (milliseconds: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)));

beforeEach(() => {
  vi.useFakeTimers();
  reload.mockClear();
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("a page that is older than the server reloads when nobody types for a moment", async () => {
  const { tell } = show();
  await pass(60_000);
  expect(screen.getByText("stays")).toBeTruthy();
  tell();
  expect(screen.getByText("reloads")).toBeTruthy();
  await pass(2_500);
  fireEvent.keyDown(document.body, { key: "a" });
  await pass(2_500);
  expect(reload).not.toHaveBeenCalled();
  await pass(1_000);
  expect(reload).toHaveBeenCalledTimes(1);
  await pass(60_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("it does not while the browser stores nothing, or somebody has an answer half written", async () => {
  const { client, tell } = show();
  act(() => client.status({ unstored: "the disk is full" }));
  tell();
  await pass(10_000);
  expect(screen.getByText("stays")).toBeTruthy();
  act(() => client.store.apply({ status: { seq: 1, pending: 0, ...older } }));
  const field = screen.getByRole("textbox", { name: "Answer" });
  field.focus();
  fireEvent.change(field, { target: { value: "half" } });
  await pass(10_000);
  expect(reload).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: "" } });
  await pass(5_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("a reload that brings the old page again is followed by none, until there was a connection", async () => {
  show().tell();
  await pass(5_000);
  expect(reload).toHaveBeenCalledTimes(1);
  cleanup();
  show(false).tell();
  expect(screen.getByText("stays")).toBeTruthy();
  await pass(60_000);
  expect(reload).toHaveBeenCalledTimes(1);
  cleanup();
  show();
  cleanup();
  show(false).tell();
  await pass(5_000);
  expect(reload).toHaveBeenCalledTimes(2);
});
