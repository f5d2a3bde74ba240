import { Offline, type Rules } from "./offline.js";

/** The used part of the service worker's global scope, which the page's types do not have. */
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
/** The files of this build, inserted by the build. */
declare const __RULES__: Rules;

const offline = new Offline(__RULES__, caches, (request) => fetch(request));

self.addEventListener("install", (event) => {
  event.waitUntil(offline.install().then(() => self.skipWaiting()));
  // Requests that are never answered here skip this worker, where the browser supports static routing.
  const paths = ["/api/*", "/login", "/frame/*", "/artifacts/*"];
  void event.addRoutes?.(paths.map((pathname) => ({ condition: { urlPattern: { pathname } }, source: "network" }))).catch(() => {});
});

self.addEventListener("activate", (event) => {
  // No request is preloaded: a sign-in link would be used up before it is followed.
  event.waitUntil(Promise.all([offline.tidy(), self.clients.claim()]));
});

self.addEventListener("fetch", (event) => {
  const answer = offline.answer(event.request);
  if (answer) event.respondWith(answer);
});

// A sign-out deletes the cached page until the next sign-in.
self.addEventListener("message", (event) => {
  // A page that was loading while this worker took control has no controller, nor has a page whose worker was unregistered.
  if (event.data === "keep") event.waitUntil(Promise.all([offline.ensure(), self.clients.claim()]));
  if (event.data === "forget") event.waitUntil(offline.forget().then(() => self.registration.unregister()));
});
