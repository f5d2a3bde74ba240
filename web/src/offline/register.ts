import { key } from "../core/key.js";
import { keyCache, keyPath } from "./offline.js";
import { trustedScript } from "../worker/trusted.js";

/** The pauses between tries to keep the page, in milliseconds. */
const pauses = [2_000, 4_000, 8_000, 16_000, 32_000] as const;
/** Why tries end: the page is to be forgotten, or they begin from the start. */
const forgotten = "forgotten";
const again = "again";

let tries = new AbortController();

/** Keeps the page in the browser, for when the server is away, and tries again where that fails. Where it is not possible, it is as it was. */
export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  tries.abort(again);
  tries = new AbortController();
  const { signal } = tries;
  for (const pause of pauses) {
    if (await keep(signal)) return;
    await rest(pause, signal);
    if (signal.aborted) return;
  }
  await keep(signal);
}

/** Forgets the page that the browser keeps: one who is signed out here must not find it. */
export async function forgetPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  tries.abort(forgotten);
  const registration = await navigator.serviceWorker.getRegistration("/").catch(() => undefined);
  if (registration) forget(registration);
}

/** Tries to keep the page. False: the server is away, or this browser keeps nothing. */
async function keep(signal: AbortSignal): Promise<boolean> {
  try {
    await (await caches.open(keyCache)).put(keyPath, new Response(key()));
    const registration = await navigator.serviceWorker.register(trustedScript("/sw.js"), { updateViaCache: "none" });
    if (signal.reason === forgotten) forget(registration); // meanwhile
    else if (registration.active) registration.active.postMessage("keep");
    else await installed(registration); // which keeps it
    return true;
  } catch {
    return false;
  }
}

function forget({ active, waiting, installing }: ServiceWorkerRegistration): void {
  (active ?? waiting ?? installing)?.postMessage("forget");
}

/** Resolves when the first worker of a registration is installed, and is rejected when it is not going to be. */
function installed({ waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = waiting ?? installing;
    const look = (): void => {
      if (!worker || worker.state === "redundant") reject(new Error("the page could not be kept"));
      else if (worker.state !== "installing") resolve();
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}

/** Waits, or until the tries end. */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
