import { key } from "../core/key.js";
import { keyCache, keyPath, shell } from "./offline.js";
import { trustedScript } from "../worker/trusted.js";

/** The pauses between tries to keep the page, in milliseconds. */
const pauses = [2_000, 4_000, 8_000, 16_000, 32_000] as const;
/** Why tries end: the page is to be forgotten, or they begin from the start. */
const forgotten = "forgotten";
const again = "again";

let tries = new AbortController();

/**
 * Keeps the page in the browser, for when the server is away, and tries again until it is kept: the server may be away, and
 * a worker that was told to forget the page may do that late. Where it is not possible, it is as it was.
 */
export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  tries.abort(again);
  tries = new AbortController();
  const { signal } = tries;
  for (const pause of pauses) {
    await keep(signal);
    await rest(pause, signal);
    if (signal.aborted || (await isKept())) return;
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

async function keep(signal: AbortSignal): Promise<void> {
  try {
    await (await caches.open(keyCache)).put(keyPath, new Response(key()));
    const registration = await navigator.serviceWorker.register(trustedScript("/sw.js"), { updateViaCache: "none" });
    if (signal.reason === forgotten) forget(registration); // meanwhile
    else registration.active?.postMessage("keep"); // one that is being installed keeps it by itself
  } catch {
    // The server is away, or this browser keeps nothing.
  }
}

/** Reports whether the page is kept, by a worker that shows it. */
async function isKept(): Promise<boolean> {
  if (navigator.serviceWorker.controller === null) return false;
  try {
    return (await caches.match(shell)) !== undefined && (await navigator.serviceWorker.getRegistration("/")) !== undefined;
  } catch {
    return false;
  }
}

function forget({ active, waiting, installing }: ServiceWorkerRegistration): void {
  (active ?? waiting ?? installing)?.postMessage("forget");
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
