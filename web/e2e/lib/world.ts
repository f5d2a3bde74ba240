import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch, type SignIn, User } from "./browser.js";
import { code, importCells } from "./ipynb.js";
import { NotebookPage } from "./notebook.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";

/** World is a server and a browser for the tests of one file. */
export interface World {
  readonly server: () => Server;
  readonly browser: () => Browser;
  /**
   * Makes a profile that is signed in, directly or through a proxy. All share one sign-in, which saves each test the
   * sign-in page; a test that ends or replaces a sign-in uses signIn. A test fails if a page of its users had a fault.
   */
  readonly user: (options?: BrowserContextOptions, proxy?: Proxy) => Promise<User>;
  /** Makes a profile with a sign-in of its own. */
  readonly signIn: (options?: BrowserContextOptions, proxy?: Proxy) => Promise<User>;
  /** Starts a proxy to the server, which is closed after the test. */
  readonly startProxy: () => Promise<Proxy>;
  /** Makes a notebook of code cells and returns its id. */
  readonly notebook: (...sources: string[]) => Promise<string>;
  /** Opens a notebook in a new tab. */
  readonly open: (user: User, id: string) => Promise<NotebookPage>;
}

/** Starts a world before the tests of a file and ends it after them. The variables are added to the server's environment. */
export function world(env?: Readonly<Record<string, string>>): World {
  let server: Server;
  let browser: Browser;
  let users: User[] = [];
  let proxies: Proxy[] = [];
  const signIns = new Map<string, Promise<SignIn>>();
  beforeAll(async () => {
    [server, browser] = await Promise.all([Server.start(env), launch()]);
  });
  afterEach(async () => {
    const faults = users.flatMap((user) => user.faults);
    await Promise.all(users.map((user) => user.context.close()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    users = [];
    proxies = [];
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.dispose();
  });
  const at = (address: string, proxy?: Proxy): string => proxy?.through(address) ?? address;
  const signIn = async (options?: BrowserContextOptions, proxy?: Proxy): Promise<User> =>
    User.signIn(browser, at(server.url, proxy), at(await server.link(), proxy), options);
  const state = async (proxy?: Proxy): Promise<SignIn> => {
    const user = await signIn({}, proxy);
    const kept = await user.context.storageState();
    await user.context.close();
    expect(user.faults).toEqual([]);
    return kept;
  };
  return {
    server: () => server,
    browser: () => browser,
    user: async (options, proxy) => {
      const url = at(server.url, proxy);
      const shared = signIns.get(url) ?? state(proxy);
      signIns.set(url, shared);
      const user = await User.start(browser, url, { storageState: await shared, ...options });
      users.push(user);
      return user;
    },
    signIn: async (options, proxy) => {
      const user = await signIn(options, proxy);
      users.push(user);
      return user;
    },
    startProxy: async () => {
      const proxy = await Proxy.to(new URL(server.url));
      proxies.push(proxy);
      return proxy;
    },
    notebook: (...sources) => importCells(server, sources.map(code)),
    open: async (user, id) => new NotebookPage(await user.open(id)),
  };
}
