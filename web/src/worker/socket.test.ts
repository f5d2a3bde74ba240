import { afterEach, expect, test, vi } from "vitest";
import { dialer } from "./socket.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A socket that the server does not open. */
class Unopened {
  onclose: (() => void) | null = null;

  constructor() {
    queueMicrotask(() => this.onclose?.());
  }
}

/** Returns the requests to the server, and the reports to the session, for a socket that was not opened. */
async function told(status: number, headers: Record<string, string> = {}): Promise<{ readonly asked: unknown; readonly code: string; readonly after: number }> {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Unopened);
  const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response(null, { status, headers })));
  vi.stubGlobal("fetch", asked);
  const began = Date.now();
  const loss = new Promise<{ code: string; after: number }>((resolve) => {
    dialer("b1", () => undefined)(
      () => undefined,
      () => undefined,
      (code) => resolve({ code, after: (Date.now() - began) / 1000 }),
    );
  });
  await vi.advanceTimersByTimeAsync(120_000);
  return { asked: asked.mock.calls[0]?.[0], ...(await loss) };
}

test("a socket that the server does not open is tried again when the server says", async () => {
  const asked = "/api/notebooks/b1/sync";
  expect(await told(429, { "Retry-After": "7" })).toEqual({ asked, code: "unavailable", after: 7 });
  expect(await told(429, { "Retry-After": "100000" })).toEqual({ asked, code: "unavailable", after: 60 });
  expect(await told(503, { "Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT" })).toEqual({ asked, code: "unavailable", after: 0 });
  expect(await told(426)).toEqual({ asked, code: "unavailable", after: 0 });
  expect(await told(404)).toEqual({ asked, code: "not-found", after: 0 });
  expect(await told(403)).toEqual({ asked, code: "forbidden", after: 0 });
});
