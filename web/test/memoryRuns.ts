import type { Answer, ApprovalID, CellID, InputID, Output, OutputID, RunID, RunStatus } from "../src/core/event.js";
import type { Store } from "../src/core/store.js";
import type { Result, Run } from "../src/core/view.js";
import type { MemoryCells } from "./memoryCells.js";

/** MemoryRuns holds the runs of a {@link MemoryClient}, and is its manual runtime. */
export class MemoryRuns {
  readonly #store: Store;
  readonly #cells: MemoryCells;
  #made = 0;
  #count = 0;

  constructor(store: Store, cells: MemoryCells) {
    this.#store = store;
    this.#cells = cells;
  }

  request(cells = this.#cells.ids): Result {
    const runs = cells.filter((id) => this.#runnable(id)).map((cell) => this.#request(cell));
    this.#store.apply({ runs, queue: [...this.#store.queue(), ...runs.map((run) => run.id)] });
    for (const run of runs) this.#cells.change([run.cell], { run: run.id });
    return { cells, runs: runs.map((run) => run.id) };
  }

  /** A pending run ends; a started one is marked, and ends when it is finished. */
  cancel(cells: readonly CellID[] | undefined): Result {
    for (const id of this.#store.queue()) {
      const run = this.#run(id);
      if (cells && !cells.includes(run.cell)) continue;
      this.#change(id, { cancelled: true });
      if (run.state === "pending") this.finish(id, "cancelled");
    }
    return {};
  }

  clear(cells = this.#cells.ids): Result {
    this.#store.apply({ gone: { outputs: cells.flatMap((id) => this.#cells.row(id).outputs ?? []) } });
    return this.#cells.change(cells, { outputs: [], stale: false });
  }

  answer(id: InputID, value: string): Result {
    const run = this.#store.queue().find((r) => this.#store.inputs(r).some((input) => input.id === id));
    if (run === undefined) throw new Error(`no program waits for input ${id}`);
    this.#store.apply({ inputs: [{ id, run, answered: true, value }] });
    return {};
  }

  answerApproval(id: ApprovalID, answer: Answer, reason?: string): Result {
    const asked = this.#store.approval(id);
    if (!asked || asked.answer !== undefined) throw new Error(`no assistant waits for approval ${id}`);
    this.#store.apply({ approvals: [{ ...asked, answer, actor: this.#store.status()?.actor ?? "person:me", ...(reason !== undefined && { reason }) }] });
    return {};
  }

  start(id: RunID): void {
    this.#change(id, { state: "started", started: 2000 });
    const { cell } = this.#run(id);
    this.#cells.change([cell], { stale: (this.#cells.row(cell).outputs ?? []).length > 0 });
  }

  finish(id: RunID, status: RunStatus, parts: Partial<Run> = {}): void {
    const { cell, state } = this.#run(id);
    if (state !== "pending") {
      this.#replaceStale(cell);
      this.#cells.change([cell], { count: ++this.#count });
    }
    this.#change(id, { state: "finished", status, took: 1, finished: 2001, ...parts });
    this.#store.apply({ queue: this.#store.queue().filter((other) => other !== id) });
  }

  /** Adds an output to a cell, of its latest run if it has one. */
  output(cell: CellID, value: Output): OutputID {
    this.#replaceStale(cell);
    const id = `o${++this.#made}`;
    const { run, outputs = [] } = this.#cells.row(cell);
    this.#store.apply({ outputs: [{ id, cell, value, ...(run !== undefined && { run }) }] });
    this.#cells.change([cell], { outputs: [...outputs, id] });
    return id;
  }

  ask(run: RunID, prompt: string, secret: boolean): InputID {
    const id = `i${++this.#made}`;
    this.#store.apply({ inputs: [{ id, run, prompt, secret, open: true }] });
    return id;
  }

  #replaceStale(cell: CellID): void {
    if (this.#cells.row(cell).stale) this.clear([cell]);
  }

  #runnable(cell: CellID): boolean {
    const { kind, run, deleted } = this.#cells.row(cell);
    return !deleted && kind !== "markdown" && kind !== "raw" && (run === undefined || this.#run(run).state === "finished");
  }

  #request(cell: CellID): Run {
    const takes = this.#cells.row(cell).kind === "ai" ? "ai" : "code";
    return { id: `r${++this.#made}`, cell, takes, state: "pending", requested: 1000 };
  }

  #run(id: RunID): Run {
    const run = this.#store.run(id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  #change(id: RunID, parts: Partial<Run>): void {
    this.#store.apply({ runs: [{ ...this.#run(id), ...parts }] });
  }
}
