import type { Actor, CellID } from "./event.js";
import type { Peer } from "./view.js";

/** What an avatar may stand for. */
export type PersonKind = "person" | "runtime" | "assistant" | "key";

/** Person is one who is here, with all connections that they have. */
export interface Person {
  readonly actor: Actor;
  readonly kind: PersonKind;
  readonly name: string;
  readonly color: string;
  /** The cells in which they are, one for each of their pages that shows one. */
  readonly cells: readonly CellID[];
  readonly busy: boolean;
  readonly self: boolean;
}

/** Each is dark enough to read on the light page, and light enough on the dark one. */
const palette = [
  "light-dark(#2f5fb3, #8db4f5)",
  "light-dark(#a3371f, #f0a08c)",
  "light-dark(#1f7a45, #7ccf9c)",
  "light-dark(#7a3e9d, #cf9bea)",
  "light-dark(#8a5200, #e6b566)",
  "light-dark(#0f6674, #7fcfdc)",
  "light-dark(#a02c66, #f095c1)",
  "light-dark(#4c6410, #b5cf6b)",
] as const;

/** Returns the colour of a person, or of one connection of theirs: the same on every page and day. */
export function color(name: string): string {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return palette[(hash >>> 0) % palette.length] ?? palette[0];
}

/** Returns what kind of actor one is. */
export function kindOf(actor: Actor): PersonKind {
  const kind = actor.slice(0, actor.indexOf(":"));
  return kind === "runtime" || kind === "assistant" || kind === "key" ? kind : "person";
}

/** Returns what to call an actor: the name they gave, else the one that the server knows them by. */
export function nameOf(actor: Actor, given?: string): string {
  return given?.trim() || actor.slice(actor.indexOf(":") + 1) || "somebody";
}

/** Returns who is here, everyone once: oneself first, then people, then programs, each by name. */
export function people(peers: readonly Peer[]): readonly Person[] {
  const actors = new Set(peers.map((peer) => peer.actor));
  return [...actors].map((actor) => person(actor, peers.filter((peer) => peer.actor === actor))).sort(compare);
}

function person(actor: Actor, peers: readonly Peer[]): Person {
  const given = peers.find((peer) => peer.presence.name)?.presence.name;
  const others = peers.filter((peer) => !peer.self);
  return {
    actor,
    kind: kindOf(actor),
    name: nameOf(actor, given),
    color: color(actor),
    cells: [...new Set(others.flatMap(({ presence }) => presence.cell ?? []))],
    busy: peers.some((peer) => peer.presence.busy),
    self: peers.some((peer) => peer.self),
  };
}

function compare(a: Person, b: Person): number {
  return rank(a) - rank(b) || a.name.localeCompare(b.name) || (a.actor < b.actor ? -1 : 1);
}

function rank(person: Person): number {
  if (person.self) return 0;
  return person.kind === "person" ? 1 : 2;
}
