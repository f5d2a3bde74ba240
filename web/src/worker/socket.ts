import type { Lent } from "./core.js";

/** How a try to connect failed, as the server answers an ordinary request for the same notebook. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly signedOut: boolean;
}

/** Returns a function that opens sockets to the room of a notebook. */
export function dialer(notebook: string, signedOut: () => void): Lent["dial"] {
  return (opened, received, lost) => {
    const socket = new WebSocket(syncURL(notebook));
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

/** Asks the server why there is no socket: the answer to an upgrade is hidden from scripts. */
async function refusal(notebook: string): Promise<Refusal> {
  const away: Refusal = { code: "unavailable", message: "The server does not answer.", signedOut: false };
  try {
    const answer = await fetch(`/api/notebooks/${encodeURIComponent(notebook)}`, { credentials: "same-origin" });
    return { ...(byStatus.get(answer.status) ?? away), signedOut: answer.status === 401 };
  } catch {
    return away;
  }
}

const byStatus = new Map<number, Omit<Refusal, "signedOut">>([
  [401, { code: "unavailable", message: "You are signed out." }],
  [403, { code: "forbidden", message: "You may not read this notebook." }],
  [404, { code: "not-found", message: "There is no such notebook, or it was deleted." }],
]);
