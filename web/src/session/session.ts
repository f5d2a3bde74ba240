import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { Api } from "../core/api.js";
import type { Me } from "../core/http.js";
import { onKey } from "../core/key.js";
import { forgetPage, keepPage } from "../offline/register.js";

/** The state of the session: signed in, signed out, or server unreachable. */
export type Standing = "here" | "signed-out" | "unreachable";

const pause = 3_000; // milliseconds between requests to an unreachable server

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/**
 * Session is the state of the user's session. It is updated by every answer to the API, and by sockets that report a sign-out.
 * While the user is signed out or the server unreachable it polls, so the page continues by itself.
 */
export class Session {
  readonly api: Api;
  readonly #listeners = new Set<() => void>();
  #standing: Standing = "here";
  #me: Me | undefined;

  constructor(config: { readonly fetch?: Fetch } = {}) {
    this.api = new Api({ ...config, heard: (status) => this.#hear(status) });
  }

  /** Subscribes f to changes. Returns the unsubscribe function. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly standing = (): Standing => this.#standing;

  /** The signed-in principal; undefined before the first answer. */
  readonly me = (): Me | undefined => this.#me;

  /** Called when a socket reports that the session has ended. */
  readonly signOut = (): void => this.#become("signed-out");

  /** Checks the session now. */
  readonly ask = async (): Promise<void> => {
    try {
      this.#me = await this.api.me();
      this.#tell();
    } catch {
      // The API has reported its status.
    }
  };

  /** Checks the session, and polls while it is not good. Returns the function that ends this. */
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
    const silent = status === 0 || status === 502 || status === 504; // proxies answer with the last two
    // An error may come before the server checks the session, so it does not prove that the user is signed in.
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

/** SessionContext holds the session of the page. Without a provider it is one that is never started. */
export const SessionContext = createContext(new Session());

/** Returns the session of the page. */
export function useSession(): Session {
  return useContext(SessionContext);
}

/** Returns the state of the session. */
export function useStanding(): Standing {
  const session = useSession();
  return useSyncExternalStore(session.listen, session.standing);
}

/** Returns the signed-in principal. */
export function useMe(): Me | undefined {
  const session = useSession();
  return useSyncExternalStore(session.listen, session.me);
}

/** Calls f each time that the session is good again. */
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
