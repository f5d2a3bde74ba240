import { Offline, type Rules } from "./offline.js";

/** What of the platform's service worker is used here; the page's own types know none of it. */
interface Scope {
  addEventListener(type: "install" | "activate", f: (event: Extendable & { addRoutes?(routes: readonly object[]): Promise<void> }) => void): void;
  addEventListener(type: "fetch", f: (event: FetchOf) => void): void;
  addEventListener(type: "message", f: (event: Extendable & { readonly data: unknown }) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly registration: { unregister(): Promise<boolean> };
}

interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchOf extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

declare const self: Scope;
/** What this build of the page is made of, which the build puts here. */
declare const __RULES__: Rules;

const offline = new Offline(__RULES__, caches, (request) => fetch(request));

self.addEventListener("install", (event) => {
  event.waitUntil(offline.install().then(() => self.skipWaiting()));
  // What is never answered here need not wait for this worker, where the browser can be told so.
  const paths = ["/api/*", "/login", "/frame/*", "/artifacts/*"];
  void event.addRoutes?.(paths.map((pathname) => ({ condition: { urlPattern: { pathname } }, source: "network" }))).catch(() => {});
});

self.addEventListener("activate", (event) => {
  // No request is preloaded: a link that signs in once would be used up before it is followed.
  event.waitUntil(Promise.all([offline.tidy(), self.clients.claim()]));
});

self.addEventListener("fetch", (event) => {
  const answer = offline.answer(event.request);
  if (answer) event.respondWith(answer);
});

// One who signs out leaves nothing here with which the page could be opened, until they are back.
self.addEventListener("message", (event) => {
  // A page that was loading while this worker took the others over has none, nor has one whose worker was unregistered.
  if (event.data === "keep") event.waitUntil(Promise.all([offline.ensure(), self.clients.claim()]));
  if (event.data === "forget") event.waitUntil(offline.forget().then(() => self.registration.unregister()));
});
