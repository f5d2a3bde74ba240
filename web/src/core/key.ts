/** Where the page that signs in leaves the half of a sign-in that is for this origin: the server has these names too. */
const kept = "quire.key";
const header = "Quire-Key";
const protocol = "quire";

let given: string | undefined;

/**
 * Returns the half of the sign-in that goes with the cookie. A browser sends the cookie to every port of the host, and
 * this to none: whoever asks the server has to say it.
 */
export function key(): string {
  if (given !== undefined) return given;
  try {
    return localStorage.getItem(kept) ?? "";
  } catch {
    return ""; // where storage is blocked there is no cookie either
  }
}

/** Gives a worker the key, which has no localStorage. */
export function giveKey(key: string): void {
  given = key;
}

/** Calls f when another tab has signed in, until the function that is returned is called. */
export function onKey(f: () => void): () => void {
  const changed = (event: StorageEvent): void => {
    if (event.key === kept) f();
  };
  addEventListener("storage", changed);
  return () => removeEventListener("storage", changed);
}

/** Fetches something of this server as the one who is signed in. */
export function keyedFetch(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, credentials: "same-origin", headers: keyed(init.headers) });
}

/** Returns headers with the key. */
export function keyed(headers?: HeadersInit): Headers {
  const all = new Headers(headers);
  all.set(header, key());
  return all;
}

/** Returns the subprotocols with which a socket says the key: it cannot have headers. */
export function keyedProtocols(): string[] {
  const half = key();
  return half === "" ? [protocol] : [protocol, `${protocol}.key.${half}`];
}
