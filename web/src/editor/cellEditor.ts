import { Compartment, EditorState, type Extension, type Transaction } from "@codemirror/state";
import { EditorView, keymap, runScopeHandlers } from "@codemirror/view";
import type { Client } from "../core/client.js";
import type { CellID } from "../core/event.js";
import { maxMessage } from "../core/protocol.js";
import type { Text } from "../core/view.js";
import { sourceLanguage } from "../core/language.js";
import { grammarOf } from "../grammars/grammars.js";
import { retried } from "../lib/retry.js";
import { Binding } from "./binding.js";
import { carets } from "./carets.js";
import { inUse } from "./inUse.js";
import { editorKeys } from "./keys.js";
import type { Landing } from "./landing.js";
import { type Mark, mark } from "./marks.js";
import { attributes, common, configured, type EditorOptions, isCode, sameOptions } from "./options.js";
import { withoutTooLarge } from "./tooLarge.js";
import type { ViewPort } from "./viewPort.js";

/** The position of the caret when an editor gets the focus: "keep" leaves it; lines count from 1. */
export type FocusAt = "start" | "end" | "keep" | { readonly line: number } | Landing;

/** Events are the callbacks of an editor to the page. */
export interface Events {
  onFocus(): void;
  onEscape(): void;
  onLeave(direction: -1 | 1): void;
  /** Takes files that are pasted or dropped at a place of the text. Reports whether they were taken. */
  onFiles?(files: readonly File[], at: number): boolean;
  /** Applies a change of others to a focused text, so the page can hold the surroundings in place. */
  onOthers?(change: () => void): void;
  /** Whether the caret follows its text to another cell when others move it. */
  onFollow?(cell: CellID): boolean;
  /** Moves the caret to that cell. */
  onCarry?(from: CellID, landing: Landing): void;
  /** Reports an error message for the user, and undefined once edits reach the core again. */
  onTrouble(message: string | undefined): void;
  /** Reports whether the core refused the typed text. */
  onUnsaved?(unsaved: boolean): void;
}

type Loaded = Awaited<ReturnType<typeof inUse.load>>;

/** The time that the pointer rests on an editor before it prepares for use, in milliseconds. */
const dwell = 150;

/** CellEditor is the editor of a cell's source, from its mounting to its removal. */
export class CellEditor {
  readonly #client: Client;
  readonly #cell: CellID;
  readonly #events: () => Events;
  readonly #binding: Binding;
  readonly #view: EditorView;
  readonly #configured = new Compartment();
  readonly #grammar = new Compartment();
  readonly #lazy = new Compartment();
  #options: EditorOptions;
  /** The language of the grammar, which may be that of a magic. */
  #language: string;
  #marks: readonly Mark[] = [];
  #isActive = false;
  /** The result of a composition is still to be processed. */
  #composesStill = false;
  #dwelling: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, cell: CellID, text: Text, parent: HTMLElement, options: EditorOptions, events: () => Events) {
    this.#client = client;
    this.#cell = cell;
    this.#options = options;
    this.#language = sourceLanguage(options.language, firstLine(text.source));
    this.#events = events;
    this.#binding = new Binding(
      client,
      cell,
      text,
      (message) => {
        events().onTrouble(message && `What you type here is not saved: ${message}`);
        events().onUnsaved?.(message !== undefined);
      },
      {
        follows: (from) => events().onFollow?.(from) ?? false,
        carry: (from, landing) => events().onCarry?.(from, landing),
      },
    );
    this.#view = new EditorView({ parent, state: EditorState.create({ doc: text.source, extensions: this.#extensions() }) });
    this.#binding.attach(this.#viewPort());
    this.#load();
  }

  get source(): string {
    return this.#view.state.doc.toString();
  }

  get selections(): readonly { readonly anchor: number; readonly head: number }[] {
    return this.#view.state.selection.ranges.map(({ anchor, head }) => ({ anchor, head }));
  }

  focus(at: FocusAt): void {
    if (typeof at === "object" && "take" in at) this.land(at);
    else if (at !== "keep") this.#view.dispatch({ selection: { anchor: this.#place(at) }, scrollIntoView: true });
    this.#view.focus();
  }

  /** Whether a composition is under way, or its result is still to be processed. */
  get composing(): boolean {
    return this.#composesNow || this.#composesStill;
  }

  get #composesNow(): boolean {
    return this.#view.composing || this.#view.compositionStarted;
  }

  /** Inserts text that others moved here, with the caret. */
  land(landing: Landing): void {
    this.#binding.land(landing);
  }

  /** Handles a key that was pressed before the editor had the focus. */
  press(event: KeyboardEvent): void {
    const { state } = this.#view;
    if (runScopeHandlers(this.#view, event, "editor") || event.key.length !== 1 || event.ctrlKey || event.metaKey || state.readOnly) return;
    const { from, to } = state.selection.main;
    const insert = (): Transaction => state.update(state.replaceSelection(event.key), { userEvent: "input.type", scrollIntoView: true });
    const taken = state.facet(EditorView.inputHandler).some((handler) => handler(this.#view, from, to, event.key, insert));
    if (!taken) this.#view.dispatch(insert());
  }

  /** Resolves when the core has all that was typed. */
  flush(): Promise<void> {
    return this.#binding.flush();
  }

  /** Applies other options. */
  reconfigure(options: EditorOptions): void {
    const before = this.#options;
    this.#options = options;
    if (sameOptions(before, options)) {
      if (before.label !== options.label) this.#view.dispatch({}); // updates the attributes
      return;
    }
    this.#aroundCaret(() => this.#view.dispatch({ effects: this.#configured.reconfigure(configured(options)) }));
    if (before.language !== options.language) this.#speak();
  }

  /** Marks found pieces of the text, in place of the marks before. */
  mark(marks: readonly Mark[]): void {
    const before = this.#marks;
    this.#marks = marks;
    if (marks !== before) mark(this.#view, marks, before);
  }

  /** Removes the editor. Typed text still reaches the core. */
  destroy(): void {
    clearTimeout(this.#dwelling);
    this.#binding.detach();
    this.#view.destroy();
  }

  /** Applies a change that no key of this editor made. */
  #aroundCaret(change: () => void): void {
    const { onOthers } = this.#events();
    if (onOthers && this.#view.hasFocus) onOthers(change);
    else change();
  }

  #extensions(): Extension {
    return [
      EditorView.domEventHandlers({
        pointerdown: () => this.#activate(),
        pointerenter: () => this.#dwell(),
        pointerleave: () => clearTimeout(this.#dwelling),
        focus: () => this.#focused(),
        paste: (event) => this.#pasted(event),
        drop: (event) => this.#dropped(event),
        compositionstart: () => void (this.#composesStill = true),
        compositionend: () => this.#composed(),
      }),
      this.#lazy.of([]),
      this.#configured.of(configured(this.#options)),
      keymap.of(
        editorKeys({
          undo: (kind) => void this.#undo(kind),
          escape: () => this.#events().onEscape(),
          leave: (direction) => this.#events().onLeave(direction),
          asks: () => isCode(this.#options.kind),
          inspect: (view) => void inUse.load().then(({ inspect }) => inspect(this.#client, this.#where(), view)),
        }),
      ),
      EditorView.contentAttributes.of(() => attributes(this.#options)),
      this.#grammar.of(grammarOf(this.#language).ready ?? []),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) queueMicrotask(() => this.#speak()); // an update has no other within it
      }),
      common,
      withoutTooLarge(() => this.#events().onTrouble(`This is too large: no more than ${maxMessage >> 20} MB can be put into a cell at once.`)),
      carets(this.#client, this.#cell),
      this.#binding.extension,
    ];
  }

  #where(): { readonly cell: CellID; readonly language: string } {
    return { cell: this.#cell, language: this.#options.language };
  }

  #activate(): void {
    clearTimeout(this.#dwelling);
    if (this.#isActive) return;
    this.#isActive = true;
    const loaded = inUse.get();
    if (loaded) this.#equip(loaded);
    else void inUse.load().then((module) => this.#equip(module));
  }

  #equip({ lazyExtensions }: Loaded): void {
    const extensions = lazyExtensions(this.#client, () => (isCode(this.#options.kind) ? this.#where() : undefined));
    this.#view.dispatch({ effects: this.#lazy.reconfigure(extensions) });
  }

  #dwell(): void {
    clearTimeout(this.#dwelling);
    if (!this.#isActive) this.#dwelling = setTimeout(() => this.#activate(), dwell);
  }

  #focused(): void {
    this.#activate();
    this.#events().onFocus();
  }

  /** Documents put a picture beside the copied text on the clipboard: the text wins. */
  #pasted({ clipboardData: data }: ClipboardEvent): boolean {
    if (!data || data.getData("text/plain") !== "") return false;
    return this.#given(data.files, this.#view.state.selection.main.head);
  }

  #dropped({ dataTransfer, clientX: x, clientY: y }: DragEvent): boolean {
    return dataTransfer !== null && this.#given(dataTransfer.files, this.#view.posAtCoords({ x, y }, false));
  }

  #given(files: FileList, at: number): boolean {
    if (files.length === 0 || this.#options.readOnly) return false;
    return this.#events().onFiles?.([...files], at) ?? false;
  }

  /** The browser inserts the composed text after the event. */
  #composed(): void {
    setTimeout(() => {
      if (this.#composesNow) return; // the next composition has begun
      this.#composesStill = false;
      this.#binding.settle();
    }, 0);
  }

  #viewPort(): ViewPort {
    const [view, isComposing] = [this.#view, () => this.composing];
    return {
      get state() {
        return view.state;
      },
      get composing() {
        return isComposing();
      },
      dispatch: (tr, own = false) => (tr.docChanged && !own ? this.#aroundCaret(() => view.dispatch(tr)) : view.dispatch(tr)),
    };
  }

  async #undo(kind: "undo" | "redo"): Promise<void> {
    try {
      await this.#binding.flush();
      await this.#client.command({ kind, cell: this.#cell, by: this.#binding.undoName });
    } catch (reason) {
      this.#events().onTrouble(`This could not be ${kind === "undo" ? "undone" : "done again"}: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
  }

  /** Changes the grammar if the language of the source is another. */
  #speak(): void {
    const language = sourceLanguage(this.#options.language, this.#view.state.doc.line(1).text);
    if (language === this.#language) return;
    this.#language = language;
    this.#load();
  }

  /** Loads the grammar of the language. Until then the text is plain. */
  #load(): void {
    const language = this.#language;
    const { ready, load } = grammarOf(language);
    const set = (grammar: Extension): void => {
      if (this.#language === language) this.#aroundCaret(() => this.#view.dispatch({ effects: this.#grammar.reconfigure(grammar) }));
    };
    if (load) void retried(load).then(set);
    else if (this.#grammar.get(this.#view.state) !== ready) set(ready ?? []);
  }

  #place(at: Exclude<FocusAt, "keep" | Landing>): number {
    const { doc } = this.#view.state;
    if (at === "start") return 0;
    return at === "end" ? doc.length : doc.line(Math.min(Math.max(1, at.line), doc.lines)).from;
  }
}

function firstLine(source: string): string {
  const end = source.indexOf("\n");
  return end < 0 ? source : source.slice(0, end);
}
