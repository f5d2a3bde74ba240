import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { Api, ApiContext } from "../src/core/api.js";
import type { Command, Result } from "../src/core/view.js";
import { Notebook } from "../src/notebook/Notebook.js";
import { Router, RouterContext } from "../src/routing/router.js";
import { menuParts } from "../src/ui/Menu.js";
import { ToastProvider, toastParts } from "../src/ui/toast.js";
import { type MemoryCell, MemoryClient } from "./memory.js";

/** TestClient is a notebook in memory that records commands; its undo does nothing else. */
export class TestClient extends MemoryClient {
  readonly done: Command[] = [];

  override async command(command: Command): Promise<Result> {
    this.done.push(command);
    if (command.kind === "undo" || command.kind === "redo") return { cells: ["c1"] };
    return super.command(command);
  }

  /** Returns the sources of the cells, in order. */
  sources(): readonly string[] {
    return (this.store.notebook()?.cells ?? []).map((id) => this.store.text(id)?.source ?? "");
  }

  last(kind: Command["kind"]): Command | undefined {
    return this.done.findLast((command) => command.kind === kind);
  }
}

export interface Shown {
  readonly client: TestClient;
  readonly user: UserEvent;
  /** The requests to the server, besides the notebook. */
  readonly asked: readonly string[];
}

class NoResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** Adds the browser functions that the page needs and jsdom lacks, for each test of a file. */
export function prepare(): void {
  beforeAll(async () => void (await Promise.all([menuParts.load(), toastParts.load()]))); // as they are a moment after a page was opened
  beforeEach(() => {
    globalThis.ResizeObserver = NoResizeObserver;
  });
  afterEach(() => {
    cleanup();
    localStorage.clear();
  });
}

/** Renders a notebook. */
export async function show(cells: readonly MemoryCell[], client = new TestClient(cells)): Promise<Shown> {
  const asked: string[] = [];
  const api = new Api({
    fetch: async (path, init) => {
      asked.push(`${init.method ?? "GET"} ${path}`);
      return new Response(null, { status: 204 });
    },
  });
  render(
    <RouterContext value={new Router(window)}>
      <ApiContext value={api}>
        <ToastProvider>
          <Notebook id="nb" client={client} />
        </ToastProvider>
      </ApiContext>
    </RouterContext>,
  );
  await act(async () => {});
  return { client, user: userEvent.setup(), asked };
}

/** Returns the cell at a place, counted from 1. */
export function cell(place: number): HTMLElement {
  return screen.getByRole("group", { name: new RegExp(`^Cell ${place},`) });
}

/** Returns the editor of the cell at a place. */
export function editor(place: number): HTMLElement {
  return screen.getByRole("textbox", { name: new RegExp(`of cell ${place}$`) });
}

/** Returns the places of the selected cells. */
export function selected(): readonly number[] {
  return screen
    .getAllByRole("group", { name: /^Cell / })
    .flatMap((group) => (group.dataset["selected"] ? [Number(/\d+/.exec(group.getAttribute("aria-label") ?? ""))] : []));
}
