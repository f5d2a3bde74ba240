import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { Session, SessionContext } from "../session/session.js";
import { useReportedSignOut } from "./useReportedSignOut.js";

/** Returns the session of a page, and the number of its requests to a server without sessions. */
function pageOf(): { readonly session: Session; readonly asked: () => number } {
  let asked = 0;
  const session = new Session({ fetch: async () => (asked++, Response.json({}, { status: 401 })) });
  renderHook(() => useReportedSignOut(), { wrapper: ({ children }: { children: ReactNode }) => <SessionContext value={session}>{children}</SessionContext> });
  return { session, asked: () => asked };
}

test("one is signed out once the core hears so", () => {
  const { session } = pageOf();
  act(() => void dispatchEvent(new Event("quire:signed-out")));
  expect(session.standing()).toBe("signed-out");
});

test("while the core does not load, the session asks whether one is signed out", async () => {
  const { session, asked } = pageOf();
  await act(async () => void dispatchEvent(new CustomEvent("quire:loading", { detail: "the server does not answer" })));
  expect(asked()).toBe(1);
  await expect.poll(() => session.standing()).toBe("signed-out");
});
