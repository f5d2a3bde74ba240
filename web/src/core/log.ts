/** Mark is a moment of a log, for asking later about the changes since. */
export interface Mark {
  readonly version: number;
  /** The last line of that moment. The lines before it change only if text is removed. */
  readonly last: number;
}

/**
 * Log is the text of a stream output, kept as lines: appending costs the size of the addition, and a million lines can be shown
 * a screen at a time.
 */
export class Log {
  readonly #lines: string[] = [""];
  /** Removals of text: of two in a row, the later one reaches less far back. */
  readonly #cuts: { readonly version: number; readonly line: number }[] = [];
  #length = 0;
  #version = 0;

  constructor(text = "") {
    this.append(0, text);
  }

  /** The length in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  /** The number of lines. A trailing line break begins another, empty line. */
  get lines(): number {
    return this.#lines.length;
  }

  /** The number of visible lines: a trailing line break does not count as another line. */
  get shown(): number {
    const count = this.#lines.length;
    return count > 1 && this.#lines[count - 1] === "" ? count - 1 : count;
  }

  /**
   * Returns the visible part of a line: without its line break, and from the last carriage return before its end on, as each
   * one restarts the line. Package ansi of the core has the same rule. Beyond the last line it is "".
   */
  line(index: number): string {
    const line = this.#lines[index] ?? "";
    let end = line.length;
    while (line.charAt(end - 1) === "\r") end--;
    const start = end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1;
    return line.slice(start, end);
  }

  /** Removes units from the end, then appends text. */
  append(drop: number, text: string): void {
    this.#version++;
    if (drop > 0) this.#drop(Math.min(drop, this.#length));
    if (text === "") return;
    const parts = text.split("\n");
    this.#lines[this.#lines.length - 1] += parts[0] ?? "";
    for (let i = 1; i < parts.length; i++) this.#lines.push(parts[i] ?? "");
    this.#length += text.length;
  }

  /** Returns the whole text. */
  text(): string {
    return this.#lines.join("\n");
  }

  /** Returns the present moment. */
  mark(): Mark {
    return { version: this.#version, last: this.#lines.length - 1 };
  }

  /** Returns the first line that may have changed since a moment. */
  changedSince(mark: Mark): number {
    const cut = this.#cuts.find(({ version }) => version > mark.version);
    return Math.min(mark.last, cut?.line ?? mark.last);
  }

  #drop(units: number): void {
    this.#length -= units;
    let left = units;
    while (left > 0) {
      const last = this.#lines.length - 1;
      const line = this.#lines[last] ?? "";
      if (left <= line.length) {
        this.#lines[last] = line.slice(0, line.length - left);
        break;
      }
      left -= line.length + 1; // and the line break before
      this.#lines.pop();
    }
    this.#cut(this.#lines.length - 1);
  }

  /** Records a cut, and drops earlier cuts that reach less far back. */
  #cut(line: number): void {
    while ((this.#cuts.at(-1)?.line ?? -1) >= line) this.#cuts.pop();
    this.#cuts.push({ version: this.#version, line });
  }
}
