import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { Api, type Me } from "../core/api.js";
import { onKey } from "../core/key.js";
import { forgetPage, keepPage } from "../offline/register.js";

/** How one stands with the server: it knows us, it does not know us any more, or it does not answer. */
export type Standing = "here" | "signed-out" | "unreachable";

const pause = 3_000; // milliseconds between two questions to a server that is away

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/**
 * Session is one's standing with the server. It learns of it from every answer to its api, and from
 * those who hear of it on a socket. While it is not good it asks again and again, so that the
 * page goes on by itself.
 */
export class Session {
  readonly api: Api;
  readonly #listeners = new Set<() => void>();
  #standing: Standing = "here";
  #me: Me | undefined;

  constructor(config: { readonly fetch?: Fetch } = {}) {
    this.api = new Api({ ...config, heard: (status) => this.#hear(status) });
  }

  /** Calls f after each change, until the function that is returned is called. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly standing = (): Standing => this.#standing;

  /** Who one is; undefined before the server has said so. */
  readonly me = (): Me | undefined => this.#me;

  /** Is told by those who hear on a socket that the server does not know us any more. */
  readonly signOut = (): void => this.#become("signed-out");

  /** Asks the server now. */
  readonly ask = async (): Promise<void> => {
    try {
      this.#me = await this.api.me();
      this.#tell();
    } catch {
      // The api has told what it heard.
    }
  };

  /** Asks who one is, and asks on while the standing is not good. Returns what ends that. */
  readonly start = (): (() => void) => {
    const again = () => {
      if (this.#standing !== "here") void this.ask();
    };
    void this.ask();
    const timer = setInterval(again, pause);
    window.addEventListener("focus", again);
    window.addEventListener("online", again);
    const deaf = onKey(again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", again);
      window.removeEventListener("online", again);
      deaf();
    };
  };

  #hear(status: number): void {
    if (status === 401) return this.#become("signed-out");
    const silent = status === 0 || status === 502 || status === 504; // the last two are said by a proxy
    // A refusal may come before the server looks who asks, so that it says nothing of us.
    if (this.#standing === "signed-out" && (silent || status >= 400)) return undefined;
    return this.#become(silent ? "unreachable" : "here");
  }

  #become(standing: Standing): void {
    if (this.#standing === standing) return;
    this.#standing = standing;
    if (standing === "signed-out") void forgetPage();
    if (standing === "here") void keepPage();
    this.#tell();
  }

  #tell(): void {
    for (const f of this.#listeners) f();
  }
}

/** SessionContext has the session of the page. Without a provider there is one that nobody starts. */
export const SessionContext = createContext(new Session());

/** Returns the session of the page. */
export function useSession(): Session {
  return useContext(SessionContext);
}

/** Returns how one stands with the server. */
export function useStanding(): Standing {
  const session = useSession();
  return useSyncExternalStore(session.listen, session.standing);
}

/** Returns who one is. */
export function useMe(): Me | undefined {
  const session = useSession();
  return useSyncExternalStore(session.listen, session.me);
}

/** Calls f each time that the standing is good again after it was not. */
export function useReturn(f: () => void): void {
  const session = useSession();
  useEffect(() => {
    let before = session.standing();
    return session.listen(() => {
      const now = session.standing();
      if (now === "here" && before !== "here") f();
      before = now;
    });
  }, [session, f]);
}
