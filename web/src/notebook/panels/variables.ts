import type { Variable } from "../../core/protocol.js";
import { Fields } from "../../lib/parse.js";

/** The most listed variables; the filter finds the others. */
export const mostListed = 500;

/** Parses a runtime's answer. */
export function parseVariables(answer: unknown): readonly Variable[] {
  return new Fields(answer).list("variables").map((one) => {
    const fields = new Fields(one);
    const [shape, size] = [fields.stringIfAny("shape"), fields.numberIfAny("size")];
    return {
      name: fields.string("name"),
      type: fields.string("type"),
      preview: fields.string("preview"),
      ...(shape === undefined ? {} : { shape }),
      ...(size === undefined ? {} : { size }),
    };
  });
}

/** Returns the variables whose name or type contains the text, ignoring case. */
export function filtered(variables: readonly Variable[], text: string): readonly Variable[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return variables;
  return variables.filter(({ name, type }) => name.toLowerCase().includes(wanted) || type.toLowerCase().includes(wanted));
}
