import { expect } from "vitest";
import type { Server } from "./server.js";

/** Imports a Jupyter notebook with the given cells and returns its id. Fields that a cell must have are added. */
export async function importCells(server: Server, cells: readonly object[], { title = "Test", metadata = {} } = {}): Promise<string> {
  const body = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells: cells.map(complete) });
  const answer = await server.fetch(`/api/notebooks/import?format=ipynb&title=${encodeURIComponent(title)}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/x-ipynb+json" },
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  const { id }: { id: string } = await answer.json();
  return id;
}

function complete(cell: object, index: number): object {
  const required = "cell_type" in cell && cell.cell_type === "code" ? { execution_count: "outputs" in cell ? 1 : null, outputs: [] } : {};
  return { id: `c${index}`, metadata: {}, source: "", ...required, ...cell };
}

/** Returns a code cell without outputs. */
export function code(source: string): object {
  return { cell_type: "code", source };
}

/** Returns a code cell with one displayed output. */
export function displayed(type: string, value: unknown, source = ""): object {
  return { cell_type: "code", source, outputs: [{ output_type: "display_data", metadata: {}, data: { [type]: value } }] };
}
