/** The key of localStorage under which the sign-in page leaves this origin's half of the sign-in; the server has the same name. */
const kept = "quire.key";
const header = "Quire-Key";
const protocol = "quire";

let given: string | undefined;

/**
 * Returns the half of the sign-in that goes with the cookie. A browser sends the cookie to every port of the host, and this
 * half to none, so each request has to carry it.
 */
export function key(): string {
  if (given !== undefined) return given;
  try {
    return localStorage.getItem(kept) ?? "";
  } catch {
    return ""; // without storage there is no cookie either
  }
}

/** Gives the key to a worker, which has no localStorage. */
export function giveKey(key: string): void {
  given = key;
}

/** Subscribes f to sign-ins in other tabs. Returns the unsubscribe function. */
export function onKey(f: () => void): () => void {
  const changed = (event: StorageEvent): void => {
    if (event.key === kept) f();
  };
  addEventListener("storage", changed);
  return () => removeEventListener("storage", changed);
}

/** Fetches from this server with the key of the signed-in user. */
export function keyedFetch(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, credentials: "same-origin", headers: keyed(init.headers) });
}

/** Returns headers with the key. */
export function keyed(headers?: HeadersInit): Headers {
  const all = new Headers(headers);
  all.set(header, key());
  return all;
}

/** Returns the subprotocols that carry the key of a socket, which cannot have headers. */
export function keyedProtocols(): string[] {
  const half = key();
  return half === "" ? [protocol] : [protocol, `${protocol}.key.${half}`];
}
