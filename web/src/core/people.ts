import type { Actor, CellID } from "./event.js";
import type { Peer } from "./view.js";

/** The kinds of avatars. */
export type PersonKind = "person" | "runtime" | "assistant" | "key";

/** Person is a present user or program, with all of its connections. */
export interface Person {
  readonly actor: Actor;
  readonly kind: PersonKind;
  readonly name: string;
  readonly color: string;
  /** The active cell of each of the person's pages that has one. */
  readonly cells: readonly CellID[];
  readonly busy: boolean;
  readonly self: boolean;
}

/** Each colour has a contrast of 7:1 on the page's background, light or dark, and none is the red, green or amber of run states. */
const palette = [
  "light-dark(#3d33b0, #b2bbfe)", // indigo
  "light-dark(#62259b, #d0aeff)", // violet
  "light-dark(#7b1e73, #eca6e1)", // magenta
  "light-dark(#035457, #90ced1)", // teal
  "light-dark(#034f71, #90c9ec)", // azure
  "light-dark(#474f01, #c8cc9e)", // olive
  "light-dark(#3d4a59, #b7c2ce)", // slate
  "light-dark(#604259, #d1b8cb)", // mauve
] as const;

/** Returns the colour of a person or of a connection: the same on every page and day. */
export function color(name: string): string {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return palette[(hash >>> 0) % palette.length] ?? palette[0];
}

/** Returns the kind of an actor. */
export function kindOf(actor: Actor): PersonKind {
  const kind = actor.slice(0, actor.indexOf(":"));
  return kind === "runtime" || kind === "assistant" || kind === "key" ? kind : "person";
}

/** Returns the display name of an actor: the given name, else the one in its id. */
export function nameOf(actor: Actor, given?: string): string {
  const name = given?.trim();
  if (name) return name;
  if (kindOf(actor) === "runtime") return "Runtime"; // its id means nothing to users
  return actor.slice(actor.indexOf(":") + 1) || "somebody";
}

/** Returns the display name of an actor, with the name that a present one gave. */
export function shownName(actor: Actor, peers: readonly Peer[]): string {
  return nameOf(actor, peers.find((peer) => peer.actor === actor && peer.presence.name)?.presence.name);
}

/** Returns the people present, each once: the user first, then people, then programs, each by name. */
export function people(peers: readonly Peer[]): readonly Person[] {
  const actors = new Set(peers.map((peer) => peer.actor));
  return [...actors]
    .map((actor) =>
      person(
        actor,
        peers.filter((peer) => peer.actor === actor),
      ),
    )
    .sort(compare);
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
