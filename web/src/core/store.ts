import { applyEdit } from "./edit.js";
import type { ApprovalID, CellID, Output, OutputID, RunID } from "./event.js";
import { Log } from "./log.js";
import type {
  Append,
  Approval,
  Batch,
  Cell,
  CellOutput,
  Input,
  Joined,
  Moved,
  Notebook,
  Peer,
  Refusal,
  Run,
  Runtime,
  Status,
  Text,
  TextUpdate,
} from "./view.js";

/** CellRow is a cell without its text, which is a row of its own. */
export type CellRow = Omit<Cell, "text">;

/** OutputRow is an output as the page has it. The text of a growing output is in its log; revision counts its changes. */
export interface OutputRow {
  readonly id: OutputID;
  readonly cell: CellID;
  readonly run?: RunID;
  /** The output came after its run had ended, or after a later run of the cell had begun. */
  readonly late?: boolean;
  readonly earlier?: boolean;
  /** Without the text of a stream or markdown output. */
  readonly value: Output;
  readonly log?: Log;
  readonly revision: number;
}

/** TextMove is a move of a cell's text to other cells with the last of some updates, or a text joined to its end. */
export interface TextMove {
  readonly moved?: Moved;
  readonly joined?: Joined;
}

/** TextListener takes the updates of a cell's text in order, and the move made by the last of them. */
export type TextListener = (updates: readonly TextUpdate[], move?: TextMove) => void;

const nobody: readonly Peer[] = [];
const noRuns: readonly RunID[] = [];

/**
 * Store holds the present rows of one notebook. Rows are never mutated, but replaced; subscribers of a key are called after the
 * batch that replaced its row.
 */
export class Store {
  readonly #keyed = new Keyed();
  readonly #cells = new Map<CellID, CellRow>();
  readonly #texts = new Map<CellID, Text>();
  readonly #runs = new Map<RunID, Run>();
  readonly #outputs = new Map<OutputID, OutputRow>();
  readonly #inputs = new Map<string, Input>();
  readonly #openInputs = new Map<RunID, readonly Input[]>();
  readonly #approvals = new Map<ApprovalID, Approval>();
  readonly #approvalsOf = new Map<RunID, readonly Approval[]>();
  readonly #runtimes = new Map<string, Runtime>();
  readonly #textListeners = new Map<CellID, Set<TextListener>>();
  #notebook: Notebook | undefined;
  #queue = noRuns;
  #peers = nobody;
  #status: Status | undefined;
  #refused: readonly Refusal[] = [];
  #live = false;

  /** Keys to subscribe to: "live", "notebook", "queue", "runs", "peers", "status", "refused", "runtimes", "inputs", "approvals", and those below. */
  static cellKey(id: CellID): string {
    return `cell ${id}`;
  }
  static textKey(id: CellID): string {
    return `text ${id}`;
  }
  static runKey(id: RunID): string {
    return `run ${id}`;
  }
  static outputKey(id: OutputID): string {
    return `output ${id}`;
  }

  /** Subscribes f to a key. Returns the unsubscribe function. */
  readonly listen = (key: string, f: () => void): (() => void) => this.#keyed.listen(key, f);

  notebook(): Notebook | undefined {
    return this.#notebook;
  }
  cell(id: CellID): CellRow | undefined {
    return this.#cells.get(id);
  }
  /** The source of a cell with its version; undefined until the cell is loaded. */
  text(id: CellID): Text | undefined {
    return this.#texts.get(id);
  }
  run(id: RunID): Run | undefined {
    return this.#runs.get(id);
  }
  output(id: OutputID): OutputRow | undefined {
    return this.#outputs.get(id);
  }
  /** The open questions of a run, the oldest first. */
  inputs(run: RunID): readonly Input[] {
    return this.#openInputs.get(run) ?? noInputs;
  }
  approval(id: ApprovalID): Approval | undefined {
    return this.#approvals.get(id);
  }
  /** The questions of a run whether a tool may be called, the oldest first. */
  approvals(run: RunID): readonly Approval[] {
    return this.#approvalsOf.get(run) ?? noApprovals;
  }
  /** The latest runtime that takes code, or runs of another kind. */
  runtime(takes = "code"): Runtime | undefined {
    return this.#runtimes.get(takes);
  }
  queue(): readonly RunID[] {
    return this.#queue;
  }
  peers(): readonly Peer[] {
    return this.#peers;
  }
  status(): Status | undefined {
    return this.#status;
  }
  /** The events refused by the room since the page was opened, the latest last. */
  refused(): readonly Refusal[] {
    return this.#refused;
  }
  /** Whether the rows come from the core, and no longer from the server's first paint. The key is "live". */
  live(): boolean {
    return this.#live;
  }

  /**
   * Applies a batch, then calls the subscribers of the changed keys. Texts are applied and reported in stages, each up to a
   * move of text, so the result does not depend on how events were batched.
   */
  apply(batch: Batch): void {
    const keys = new Set<string>();
    if (batch.reset) this.#reset(batch, keys);
    this.#setRows(batch, keys);
    this.#setWhole(batch, keys);
    for (const append of batch.appended ?? []) this.#append(append, keys);
    this.#remove(batch, keys);
    for (const { texts, moved } of stages(batch)) {
      this.#applyTexts(texts, keys);
      this.#tellTexts(texts, moved);
    }
    this.#keyed.tell(keys);
  }

  /** Subscribes f to a cell's text: it is called after each stage of a batch that updates the text or moves text out of it. */
  onText(cell: CellID, f: TextListener): () => void {
    const set = this.#textListeners.get(cell) ?? new Set();
    this.#textListeners.set(cell, set.add(f));
    return () => {
      set.delete(f);
      if (set.size === 0 && this.#textListeners.get(cell) === set) this.#textListeners.delete(cell);
    };
  }

  /** Drops all rows, except the texts of cells that the batch lists without their texts. */
  #reset(batch: Batch, keys: Set<string>): void {
    const goOn = new Set(batch.cells?.filter((cell) => cell.text === undefined).map((cell) => cell.id));
    for (const id of this.#texts.keys()) {
      if (goOn.has(id)) continue;
      this.#texts.delete(id);
      keys.add(Store.textKey(id));
    }
    for (const id of this.#cells.keys()) keys.add(Store.cellKey(id));
    for (const id of this.#runs.keys()) keys.add(Store.runKey(id));
    for (const id of this.#outputs.keys()) keys.add(Store.outputKey(id));
    for (const map of [this.#cells, this.#runs, this.#outputs, this.#inputs, this.#openInputs, this.#approvals, this.#approvalsOf, this.#runtimes]) map.clear();
    for (const key of ["notebook", "inputs", "approvals", "runtimes", "runs", "queue"]) keys.add(key);
    this.#queue = noRuns;
  }

  #setRows(batch: Batch, keys: Set<string>): void {
    for (const { text, ...row } of batch.cells ?? []) {
      this.#cells.set(row.id, row);
      keys.add(Store.cellKey(row.id));
      if (text) this.#setText(row.id, text, keys);
    }
    if (batch.runs?.length) keys.add("runs");
    for (const run of batch.runs ?? []) {
      this.#runs.set(run.id, run);
      keys.add(Store.runKey(run.id));
    }
    for (const output of batch.outputs ?? []) this.#setOutput(output, keys);
    for (const runtime of batch.runtimes ?? []) {
      this.#runtimes.set(runtime.takes, runtime);
      keys.add("runtimes");
    }
    for (const input of batch.inputs ?? []) {
      this.#inputs.set(input.id, input);
      this.#openInputsOf(input.run, keys);
    }
    for (const approval of batch.approvals ?? []) {
      this.#approvals.set(approval.id, approval);
      this.#setApprovalsOf(approval.run, keys);
    }
  }

  #setWhole(batch: Batch, keys: Set<string>): void {
    if (batch.notebook) {
      this.#notebook = batch.notebook;
      keys.add("notebook");
    }
    if (!this.#live && batch.notebook && !batch.first) {
      this.#live = true;
      keys.add("live");
    }
    if (batch.queue) {
      this.#queue = batch.queue;
      keys.add("queue");
    }
    if (batch.peers) {
      this.#peers = batch.peers;
      keys.add("peers");
    }
    if (batch.status) {
      this.#status = batch.status;
      keys.add("status");
    }
    if (batch.refused) {
      this.#refused = [...this.#refused, ...batch.refused];
      keys.add("refused");
    }
  }

  #setText(id: CellID, text: Text, keys: Set<string>): void {
    this.#texts.set(id, text);
    keys.add(Store.textKey(id));
  }

  #applyTexts(updates: readonly TextUpdate[], keys: Set<string>): void {
    for (const { cell, version, edit } of updates) {
      const text = this.#texts.get(cell);
      if (text?.version !== version) continue; // its row came whole and is newer than this update
      this.#setText(cell, { version: version + 1, source: applyEdit(text.source, edit) }, keys);
    }
  }

  #tellTexts(updates: readonly TextUpdate[], moved: Moved | undefined): void {
    const { joined } = moved ?? {};
    // The source cell of a move comes first: the position of the caret's line is still known there.
    const cells = [...(moved ? [moved.cell] : []), ...(joined ? [joined.cell] : []), ...updates.map((update) => update.cell)];
    for (const cell of new Set(cells)) {
      const of = updates.filter((update) => update.cell === cell);
      const move = { ...(moved?.cell === cell && { moved }), ...(joined?.cell === cell && { joined }) };
      const listeners = Array.from(this.#textListeners.get(cell) ?? []); // a subscriber that is added meanwhile starts from the present text
      for (const f of listeners) f(of, move);
    }
  }

  #setOutput({ value, ...rest }: CellOutput, keys: Set<string>): void {
    const revision = (this.#outputs.get(rest.id)?.revision ?? 0) + 1;
    const grows = value.kind === "stream" || value.kind === "markdown";
    const { text, ...kept } = value;
    this.#outputs.set(rest.id, { ...rest, revision, ...(grows ? { value: kept, log: new Log(text) } : { value }) });
    keys.add(Store.outputKey(rest.id));
  }

  #append({ output, drop, text }: Append, keys: Set<string>): void {
    const row = this.#outputs.get(output);
    if (!row?.log) return;
    row.log.append(drop ?? 0, text);
    this.#outputs.set(output, { ...row, revision: row.revision + 1 });
    keys.add(Store.outputKey(output));
  }

  #remove({ gone }: Batch, keys: Set<string>): void {
    if (gone?.runs?.length) keys.add("runs");
    for (const id of gone?.runs ?? []) {
      this.#runs.delete(id);
      keys.add(Store.runKey(id));
    }
    for (const id of gone?.outputs ?? []) {
      this.#outputs.delete(id);
      keys.add(Store.outputKey(id));
    }
    for (const id of gone?.inputs ?? []) {
      const run = this.#inputs.get(id)?.run;
      this.#inputs.delete(id);
      if (run !== undefined) this.#openInputsOf(run, keys);
    }
    for (const id of gone?.approvals ?? []) {
      const run = this.#approvals.get(id)?.run;
      this.#approvals.delete(id);
      if (run !== undefined) this.#setApprovalsOf(run, keys);
    }
  }

  #setApprovalsOf(run: RunID, keys: Set<string>): void {
    this.#approvalsOf.set(
      run,
      [...this.#approvals.values()].filter((approval) => approval.run === run),
    );
    keys.add("approvals");
  }

  #openInputsOf(run: RunID, keys: Set<string>): void {
    this.#openInputs.set(
      run,
      [...this.#inputs.values()].filter((input) => input.run === run && input.open),
    );
    keys.add("inputs");
  }
}

/** Splits the texts of a batch into stages: each ends with a move of text. */
function stages({ texts = [], moved = [] }: Batch): readonly { readonly texts: readonly TextUpdate[]; readonly moved: Moved | undefined }[] {
  let from = 0;
  const moving = moved.map((one) => {
    const to = Math.max(from, one.at + (one.deleted ? 0 : 1));
    const stage = { texts: texts.slice(from, to), moved: one };
    from = to;
    return stage;
  });
  return [...moving, { texts: texts.slice(from), moved: undefined }];
}

const noInputs: readonly Input[] = [];
const noApprovals: readonly Approval[] = [];

/** Keyed holds the subscriptions to keys. */
class Keyed {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Subscribes f to a key. Returns the unsubscribe function. */
  listen(key: string, f: () => void): () => void {
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set.add(f));
    return () => {
      set.delete(f);
      if (set.size === 0 && this.#listeners.get(key) === set) this.#listeners.delete(key);
    };
  }

  /** Calls each subscriber of the keys once. */
  tell(keys: Iterable<string>): void {
    const called = new Set<() => void>();
    for (const key of keys) for (const f of this.#listeners.get(key) ?? []) called.add(f);
    for (const f of called) f();
  }
}
