import type { Client } from "../src/core/client.js";
import type { CellID, CellKind, Edit, InputID, Json, Output, OutputID, RunID, RunStatus } from "../src/core/event.js";
import type { Method, Presence } from "../src/core/protocol.js";
import { Store, type TextListener } from "../src/core/store.js";
import type { Approval, Command, Peer, Result, Run, Status, Text, TextPush } from "../src/core/view.js";
import { assertNever } from "../src/lib/assert.js";
import { MemoryCells } from "./memoryCells.js";
import { MemoryRuns } from "./memoryRuns.js";
import { MemoryTexts } from "./memoryTexts.js";

/** MemoryCell is a cell that a {@link MemoryClient} starts with. They are named c1, c2 and so on. */
export interface MemoryCell {
  readonly kind?: CellKind;
  readonly language?: string;
  readonly source?: string;
}

/** Answer answers a call to the runtime. */
type Answer = (params: Json, signal?: AbortSignal) => Json | Promise<Json>;

const saved: Status = { seq: 1, pending: 0, online: true, actor: "person:me", role: "owner" };

/**
 * MemoryClient is a notebook in memory: without a server, a core, or undo. Commands take effect at once; runs advance when a
 * test says so. Tests of everything above the client use it.
 */
export class MemoryClient implements Client {
  readonly store = new Store();
  /** The published presences, the latest last. */
  readonly presences: Presence[] = [];
  readonly #texts = new MemoryTexts(this.store);
  readonly #cells = new MemoryCells(this.store, this.#texts);
  readonly #runs = new MemoryRuns(this.store, this.#cells);
  readonly #answers = new Map<Method, Answer>();

  constructor(cells: readonly MemoryCell[] = []) {
    this.#cells.add(cells.map(({ kind = "code", ...rest }) => ({ cellKind: kind, ...rest })));
    this.store.apply({ status: saved });
  }

  async command(command: Command): Promise<Result> {
    return this.#do(command);
  }

  async push(push: TextPush): Promise<boolean> {
    return this.#texts.push(push);
  }

  onText(cell: CellID, f: TextListener): () => void {
    return this.store.onText(cell, f);
  }

  present(presence: Presence): void {
    this.presences.push(presence);
  }

  async call(method: Method, params: Json, signal?: AbortSignal): Promise<Json> {
    const answer = this.#answers.get(method);
    if (!answer) throw new Error("there is no runtime");
    return answer(params, signal);
  }

  reconnect(): void {
    this.status({ online: true });
  }

  close(): void {
    this.status({ online: false });
  }

  /** Returns the core's source of a cell, which may be ahead of the store. */
  text(cell: CellID): Text {
    return this.#texts.of(cell);
  }

  /** Makes another user's edit of a cell's source, or the edit of a command. */
  others(cell: CellID, edit: Edit, by?: string): void {
    this.#texts.edit(cell, [edit], by);
  }

  /** Replaces a cell's text as a whole, as a restarted core does. */
  reset(cell: CellID, text: Text): void {
    this.#texts.reset(cell, text);
    this.store.apply({ cells: [{ ...this.#cells.row(cell), text }] });
  }

  /** Withholds updates of texts from the store until show or letGo. */
  hold(): void {
    this.#texts.hold();
  }

  /** Applies a number of withheld updates to the store, all by default. */
  show(count?: number): void {
    this.#texts.show(count);
  }

  /** Applies all withheld updates, and withholds no more. */
  letGo(): void {
    this.#texts.letGo();
  }

  /** Sets the runtime's answer to a method; without it every call fails. */
  answer(method: Method, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  peers(peers: readonly Peer[]): void {
    this.store.apply({ peers });
  }

  status(parts: Partial<Status>): void {
    this.store.apply({ status: { ...(this.store.status() ?? saved), ...parts } });
  }

  start(run: RunID): void {
    this.#runs.start(run);
  }

  finish(run: RunID, status: RunStatus, parts?: Partial<Run>): void {
    this.#runs.finish(run, status, parts);
  }

  output(cell: CellID, value: Output): OutputID {
    return this.#runs.output(cell, value);
  }

  append(output: OutputID, text: string, drop = 0): void {
    this.store.apply({ appended: [{ output, drop, text }] });
  }

  ask(run: RunID, prompt: string, secret = false): InputID {
    return this.#runs.ask(run, prompt, secret);
  }

  /** Asks, as an assistant, whether a tool may be called. */
  askApproval(approval: Approval): void {
    this.store.apply({ approvals: [approval] });
  }

  #do(command: Command): Result {
    switch (command.kind) {
      case "addCell": {
        const { cellKind, language, source, after, before } = command;
        const item = { cellKind, ...(language !== undefined && { language }), ...(source !== undefined && { source }) };
        return this.#cells.add([item], { ...(after !== undefined && { after }), ...(before !== undefined && { before }) });
      }
      case "pasteCells":
        return this.#cells.add(command.items, command);
      case "deleteCells":
        return this.#cells.delete(command.cells);
      case "restoreCells":
        return this.#cells.restore(command.cells);
      case "moveCells":
        return this.#cells.move(command);
      case "changeKind":
        return this.#cells.change(command.cells, { kind: command.cellKind });
      case "changeLanguage":
        return this.#cells.change(command.cells, { language: command.language });
      case "setVisibility":
        return this.#cells.setVisibility(command);
      case "splitCell":
        return this.#cells.split(command);
      case "mergeCells":
        return this.#cells.merge(command.cells);
      case "replaceText":
        return this.#texts.replacePieces(command.pieces);
      case "attach":
        this.#cells.setMetadata({ cell: command.cell, key: command.key, value: command.value });
        return this.#texts.insert(command.cell, command.at, command.text);
      case "setTitle":
        return this.#cells.setTitle(command.title);
      case "setMetadata":
        return this.#cells.setMetadata(command);
      case "runCells":
        return this.#runs.request(command.cells);
      case "cancelRuns":
        return this.#runs.cancel(command.cells);
      case "answerInput":
        return this.#runs.answer(command.input, command.value);
      case "clearOutputs":
        return this.#runs.clear(command.cells);
      case "answerApproval":
        return this.#runs.answerApproval(command.approval, command.answer, command.reason);
      case "undo":
      case "redo":
        throw new Error(`${command.kind}: not in memory`);
      default:
        return assertNever(command);
    }
  }
}
