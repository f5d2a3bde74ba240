import { key } from "../core/key.js";
import { keyCache, keyPath, shell } from "./offline.js";
import { trustedScript } from "../worker/trusted.js";

/** The pauses between attempts to cache the page, in milliseconds. */
const pauses = [2_000, 4_000, 8_000, 16_000, 32_000] as const;
/** The reason to end the attempts for good; without it they start over. */
const forgotten = "forgotten";
const again = "again";

let tries = new AbortController();

/**
 * Caches the page in the browser, for when the server is away, and retries until that succeeds: the server may be away, and a
 * worker may delete the page late after a sign-out. Without support the page works as before.
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

/** Deletes the cached page: a signed-out user must not find it. */
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
    if (signal.reason === forgotten) forget(registration); // it was registered meanwhile
    else registration.active?.postMessage("keep"); // a worker that is being installed caches it by itself
  } catch {
    // The server is away, or this browser caches nothing.
  }
}

/** Reports whether the page is cached, by a worker that controls it. */
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

/** Waits for a time, or until the attempts end. */
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
