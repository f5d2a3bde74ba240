import { key } from "../core/key.js";
import { keyCache, keyPath } from "./offline.js";
import { trustedScript } from "../worker/trusted.js";

/** Keeps the page in the browser, for when the server is away. Where that is not possible, it is as it was. */
export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await (await caches.open(keyCache)).put(keyPath, new Response(key()));
    await navigator.serviceWorker.register(trustedScript("/sw.js"), { updateViaCache: "none" });
    (await navigator.serviceWorker.ready).active?.postMessage("keep");
  } catch {
    // The server is away, or this browser keeps nothing: the next time.
  }
}

/** Forgets the page that the browser keeps: one who is signed out here must not find it. */
export async function forgetPage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration("/").catch(() => undefined);
  registration?.active?.postMessage("forget");
}
