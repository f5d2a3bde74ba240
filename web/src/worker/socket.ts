import { keyedFetch, keyedProtocols } from "../core/key.js";
import type { Lent } from "./core.js";

/** The reason of a failed connection attempt, as the server answers an ordinary request for the same notebook. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly signedOut: boolean;
  /** The number of seconds in which another attempt is useless. */
  readonly wait: number;
}

/** Returns a function that opens sockets to the room of a notebook. */
export function dialer(notebook: string, signedOut: () => void): Lent["dial"] {
  return (opened, received, lost) => {
    const socket = new WebSocket(syncURL(notebook), keyedProtocols());
    let wasOpen = false;
    let closedHere = false;
    socket.onopen = () => {
      wasOpen = true;
      opened();
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (typeof event.data === "string") received(event.data);
    };
    socket.onclose = async () => {
      if (wasOpen || closedHere) return lost("unavailable", "The connection was lost.");
      const why = await refusal(notebook);
      if (why.signedOut) signedOut();
      if (why.wait > 0) await new Promise((resolve) => setTimeout(resolve, why.wait * 1000));
      lost(why.code, why.message);
    };
    return {
      send: (text) => socket.send(text),
      held: () => socket.bufferedAmount,
      close: () => {
        closedHere = true;
        socket.close();
      },
    };
  };
}

function syncURL(notebook: string): string {
  const url = new URL(`/api/notebooks/${encodeURIComponent(notebook)}/sync`, location.origin);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** Asks the server for the reason at the same address: the answer to a failed upgrade is hidden from scripts. */
async function refusal(notebook: string): Promise<Refusal> {
  const away: Refusal = { code: "unavailable", message: "The server does not answer.", signedOut: false, wait: 0 };
  try {
    const answer = await keyedFetch(`/api/notebooks/${encodeURIComponent(notebook)}/sync`);
    const wait = Number(answer.headers.get("Retry-After"));
    return { ...(byStatus.get(answer.status) ?? away), signedOut: answer.status === 401, wait: wait > 0 ? Math.min(wait, longest) : 0 };
  } catch {
    return away;
  }
}

/** The longest pause that a server may demand, in seconds. */
const longest = 60;

const byStatus = new Map<number, Pick<Refusal, "code" | "message">>([
  [401, { code: "unavailable", message: "You are signed out." }],
  [403, { code: "forbidden", message: "You may not read this notebook." }],
  [426, { code: "unavailable", message: "The server opens no socket." }],
  [429, { code: "unavailable", message: "This notebook was opened too often within a short time." }],
  [410, { code: "purged", message: "The notebook was removed for good." }],
  [404, { code: "not-found", message: "There is no such notebook, or it was deleted." }],
]);
