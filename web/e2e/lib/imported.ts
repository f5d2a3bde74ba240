import { expect } from "vitest";
import type { Server } from "./server.js";

/** Imports a Jupyter notebook whose cells are given, and returns its id. */
export async function imported(server: Server, ...cells: readonly object[]): Promise<string> {
  const full = cells.map((cell, i) => ({ id: `c${i}`, metadata: {}, source: "", ...("outputs" in cell ? { execution_count: 1 } : {}), ...cell }));
  const body = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: full });
  const made = await server.fetch("/api/notebooks/import?format=ipynb&title=Test", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/x-ipynb+json" },
  });
  expect(made.status, await made.clone().text()).toBe(201);
  const { id }: { id: string } = await made.json();
  return id;
}

/** Returns a cell of code with an output of a type. */
export function displayed(type: string, value: unknown, source = ""): object {
  return { cell_type: "code", source, outputs: [{ output_type: "display_data", metadata: {}, data: { [type]: value } }] };
}
