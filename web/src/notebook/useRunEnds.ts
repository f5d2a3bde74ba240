import { useEffect } from "react";
import type { CellID, RunID } from "../core/event.js";
import type { Run } from "../core/view.js";
import { type Ending, endingOf } from "./state/ending.js";
import { runText } from "./state/label.js";
import type { Page } from "./state/page.js";

/** The duration from which on the end of a run is worth a notification, in milliseconds. */
const long = 10_000;

/** Reports the ends of runs: to screen readers, in the tab's title, and in a notification while the page is hidden. */
export function useRunEnds(page: Page): void {
  useEffect(() => {
    const { store } = page.client;
    const tab = new Tab(() => store.notebook()?.title ?? "");
    let queue = store.queue();
    let began: number | undefined;
    const look = (): void => {
      const now = store.queue();
      if (now !== queue) {
        const there = new Set(now);
        const ended = queue.filter((id) => !there.has(id));
        queue = now;
        if (now.length > 0) began ??= Date.now();
        tell(page, ended, tab, now.length === 0 ? Date.now() - (began ?? Date.now()) : 0);
        if (now.length === 0) began = undefined;
      }
      tab.show(now.length > 0);
    };
    look();
    const stops = [store.listen("queue", look), store.listen("notebook", look)];
    return () => {
      for (const stop of stops) stop();
      tab.close();
    };
  }, [page]);
}

function tell(page: Page, ended: readonly RunID[], tab: Tab, took: number): void {
  const {
    client: { store },
    ui,
  } = page;
  const runs = ended.flatMap((id) => store.run(id) ?? []);
  if (runs.length === 0) return;
  const cells = store.notebook()?.cells ?? [];
  const text = endsText(runs, (run) => cells.indexOf(run.cell) + 1);
  const bad = runs.find((run) => run.status === "error" || run.status === "lost");
  if (bad && !isSeen(bad.cell)) tellFailure(page, bad.cell, text);
  else ui.say(text);
  tab.ended(runs.some((run) => run.status !== "ok" && run.status !== "skipped"));
  if (took >= long) tab.notify(text);
}

/** Reports a failed run out of sight, and offers to go there. */
function tellFailure({ ui, list, note }: Page, cell: CellID, text: string): void {
  const go = (): void => {
    ui.go(cell);
    list.current?.reveal(cell, "top");
    ui.flash(cell);
  };
  note({ kind: "error", text, topic: "failed", action: { label: "Show", onSelect: go } });
}

/** Whether the beginning of a cell is on the screen. */
function isSeen(cell: CellID): boolean {
  const shown = [...document.querySelectorAll<HTMLElement>("[data-cell]")].find((item) => item.dataset["cell"] === cell);
  const box = shown?.querySelector("[data-group]")?.getBoundingClientRect();
  return box !== undefined && box.height > 0 && box.top >= 0 && box.top < window.innerHeight - 80;
}

/** Describes the ends of runs; place returns the position of a run's cell. */
export function endsText(runs: readonly Run[], place: (run: Run) => number): string {
  const [first] = runs;
  if (first && runs.length === 1) return `Cell ${place(first)} ${runText(first)}.`;
  const bad = runs.find((run) => run.status === "error" || run.status === "lost");
  const fine = runs.filter((run) => run.status === "ok").length;
  const ended = (kind: Ending["kind"]): number => runs.filter((run) => endingOf(run)?.kind === kind).length;
  const [stopped, missed] = [ended("stopped"), ended("not run")];
  return [
    ...(bad ? [`Cell ${place(bad)} ${runText(bad)}.`] : []),
    ...(fine > 0 ? [`${fine} cell${fine === 1 ? "" : "s"} ran.`] : []),
    ...(stopped > 0 ? [`${stopped} stopped.`] : []),
    ...(missed > 0 ? [`${missed} not run.`] : []),
  ].join(" ");
}

/** Tab is the title of the browser's tab, which shows running cells, and ends that came while the page was hidden. */
class Tab {
  readonly #title: () => string;
  readonly #seen = (): void => {
    if (document.hidden) return;
    this.#mark = "";
    this.show(this.#running);
  };
  #mark = "";
  #running = false;

  constructor(title: () => string) {
    this.#title = title;
    document.addEventListener("visibilitychange", this.#seen);
  }

  show(running: boolean): void {
    this.#running = running;
    document.title = `${running ? "● " : this.#mark}${this.#title() || "Untitled"} – Quire`;
  }

  ended(badly: boolean): void {
    if (document.hidden) this.#mark = badly || this.#mark === "✗ " ? "✗ " : "✓ ";
  }

  notify(text: string): void {
    if (!document.hidden || typeof Notification === "undefined" || Notification.permission !== "granted") return;
    try {
      const shown = new Notification(this.#title() || "Quire", { body: text });
      shown.onclick = () => window.focus();
    } catch {
      // Phones support notifications from service workers only.
    }
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#seen);
  }
}
