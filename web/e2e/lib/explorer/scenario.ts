import type { Cell } from "../pair.js";
import { type Act, acts } from "./acts.js";

/** The places in which Ada types. */
const places = ["source", "Markdown", "title", "question", "frame", "composition", "search"] as const;
export type Place = (typeof places)[number];

/** Words of which every letter is a command in command mode. */
const letters = ["dd", "aa", "bb", "xx", "00", "ii", "m", "r", "y", "z", "c", "v", "1", "2", "3", "4", "o", "l", "dx", "ab"];

/** Scenario is the plan of a seed: what Ada types where, and what is done meanwhile. */
export interface Scenario {
  readonly seed: number;
  readonly place: Place;
  readonly cells: readonly Cell[];
  /** Ada's cell, counted from 1. */
  readonly cell: number;
  readonly text: string;
  /** Whether the acts are Ada's own, in a second window, instead of Bob's. */
  readonly alone: boolean;
  readonly steps: readonly Step[];
}

/** Step is an act after a pause. */
export interface Step {
  readonly act: Act | "cut the network" | "kill the server";
  /** Chooses the cell of the act, once the number of cells is known. */
  readonly cell: Below;
  /** The pause in milliseconds. */
  readonly wait: number;
}

/** Below returns a whole number from 0 up to, but not including, its argument. */
type Below = (end: number) => number;

/** Returns the scenario of a seed. */
export function scenario(seed: number): Scenario {
  const below = numbers(seed);
  const place = places[below(10)] ?? "source";
  const count = 2 + below(5);
  const cell = 1 + below(count);
  const cells = Array.from({ length: count }, (_, i) => (i + 1 === cell ? cellFor(place, below) : otherCell(below)));
  const text = Array.from({ length: 14 }, () => letters[below(letters.length)] ?? "").join(" ");
  const alone = below(6) === 0;
  const possible = acts.filter((act) => !(alone && act.undoes));
  const steps = Array.from({ length: 2 + below(4) }, (): Step => {
    const kind = below(40);
    const act = kind === 0 ? "kill the server" : kind < 3 ? "cut the network" : (possible[below(possible.length)] ?? "cut the network");
    return { act, cell: numbers(below(1 << 30)), wait: below(150) };
  });
  return { seed, place, cells, cell, text, alone, steps };
}

/** Returns numbers that depend on the seed alone (mulberry32). */
function numbers(seed: number): Below {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * end);
  };
}

function cellFor(place: Place, below: Below): Cell {
  const lines = Array.from({ length: 1 + below(4) }, (_, i) => `# line ${i}`).join("\n");
  if (place === "search") return { source: "for i in range(30): print('row', i)" };
  if (place === "question") return { source: "answer = input('Who? ')" };
  if (place === "frame") return { source: lines, html: "<input id=field><p>below</p>" };
  return { source: `${lines}\n# `, ...(place === "Markdown" && { kind: "markdown" as const }) };
}

function otherCell(below: Below): Cell {
  const kind = below(5);
  if (kind === 0) return { source: "## A heading\n\nand a text", kind: "markdown" };
  if (kind === 1) return { source: "for i in range(30): print('row', i)" };
  if (kind === 2) return { source: "import time\nfor i in range(20):\n    print(i)\n    time.sleep(0.02)" };
  return { source: Array.from({ length: 1 + below(6) }, (_, i) => `# other ${i}`).join("\n") };
}

/** Describes a scenario for the report of its failure. */
export function describe({ seed, place, cell, alone, steps }: Scenario): string {
  const planned = steps.map(({ act, wait }) => `${wait} ms, ${typeof act === "string" ? act : act.name}`).join("; ");
  return `seed ${seed}: Ada types in a ${place} of cell ${cell}; ${alone ? "Ada, in a second window" : "Bob"}: ${planned}`;
}
