/** Fields reads the members of a JSON object at the edge of the page. A member of a wrong type throws. */
export class Fields {
  readonly #from: object;

  constructor(json: unknown) {
    this.#from = typeof json === "object" && json !== null ? json : {};
  }

  string(name: string): string {
    const value = this.#member(name);
    return typeof value === "string" ? value : wrong(name, "a string");
  }

  number(name: string): number {
    const value = this.#member(name);
    return typeof value === "number" ? value : wrong(name, "a number");
  }

  boolean(name: string): boolean {
    const value = this.#member(name);
    return typeof value === "boolean" ? value : wrong(name, "true or false");
  }

  list(name: string): readonly unknown[] {
    const value = this.#member(name);
    return Array.isArray(value) ? value : wrong(name, "a list");
  }

  /** Returns a member, or undefined if it is absent or of another type. */
  stringIfAny(name: string): string | undefined {
    const value = this.#member(name);
    return typeof value === "string" ? value : undefined;
  }

  /** Returns a member, or undefined if it is absent or of another type. */
  numberIfAny(name: string): number | undefined {
    const value = this.#member(name);
    return typeof value === "number" ? value : undefined;
  }

  /** Returns a member, or undefined if it is absent or of another type. */
  booleanIfAny(name: string): boolean | undefined {
    const value = this.#member(name);
    return typeof value === "boolean" ? value : undefined;
  }

  /** Returns a member of any type, or undefined if it is absent. */
  any(name: string): unknown {
    return this.#member(name);
  }

  #member(name: string): unknown {
    return Object.hasOwn(this.#from, name) ? Reflect.get(this.#from, name) : undefined;
  }
}

function wrong(name: string, want: string): never {
  throw new TypeError(`${name} is not ${want}`);
}
