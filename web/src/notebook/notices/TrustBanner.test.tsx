import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { Api, ApiContext } from "../../core/api.js";
import { TrustBanner } from "./TrustBanner.js";

/** Renders the banner for a role, and returns the requests to the server. */
function shown({ trusted, sandboxed, role, refuses = false }: { trusted: boolean; sandboxed: boolean; role: string; refuses?: boolean }): string[] {
  const asked: string[] = [];
  const answer = (body: unknown, status = 200): Response => new Response(status === 204 ? null : JSON.stringify(body), { status });
  const fetch = async (path: string, { method, body }: RequestInit): Promise<Response> => {
    asked.push([method, path, body].filter(Boolean).join(" "));
    if (method === "PUT" && refuses) return answer({ code: "forbidden", detail: "only its owner may" }, 403);
    if (method === "PUT") return answer({ own: false, trusted: true, sandboxed: false });
    if (path.endsWith("/trust")) return answer({ own: false, trusted, sandboxed });
    if (path.endsWith("/restart")) return answer(undefined, 204);
    return answer({ id: "n1", title: "T", owner: "o", created: 1, updated: 1, role });
  };
  render(
    <ApiContext value={new Api({ fetch })}>
      <TrustBanner id="n1" />
    </ApiContext>,
  );
  return asked;
}

const told = /came from elsewhere/;

test("an owner is asked once more before a notebook is trusted, and its runtime restarts", async () => {
  const asked = shown({ trusted: false, sandboxed: true, role: "owner" });
  await screen.findByText(told);
  fireEvent.click(screen.getByRole("button", { name: "Trust…" }));
  expect(asked).toEqual(["GET /api/notebooks/n1/trust", "GET /api/notebooks/n1"]);
  fireEvent.click(screen.getByRole("button", { name: "Trust and restart" }));
  await waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  expect(asked.slice(2)).toEqual(['PUT /api/notebooks/n1/trust {"trusted":true}', "POST /api/notebooks/n1/runtime/restart"]);
});

test("others are told, and cannot", async () => {
  shown({ trusted: false, sandboxed: true, role: "editor" });
  await screen.findByText(told);
  expect(screen.queryByRole("button", { name: "Trust…" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByText(told)).toBeNull();
});

test("one can think better of it, and a refusal is said", async () => {
  const asked = shown({ trusted: false, sandboxed: true, role: "owner", refuses: true });
  fireEvent.click(await screen.findByRole("button", { name: "Trust…" }));
  fireEvent.click(screen.getByRole("button", { name: "Trust and restart" }));
  await screen.findByText(/It was not done: .*only its owner may/i);
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.queryByRole("status")).toBeNull();
  expect(asked.some((one) => one.includes("restart"))).toBe(false);
});

test.each([
  { trusted: true, sandboxed: false },
  { trusted: true, sandboxed: true },
  { trusted: false, sandboxed: false },
])("nothing is said where trust would change nothing: %o", async (trust) => {
  const asked = shown({ ...trust, role: "owner" });
  await waitFor(() => expect(asked).toEqual(["GET /api/notebooks/n1/trust"]));
  await new Promise((done) => setTimeout(done, 0));
  expect(screen.queryByRole("status")).toBeNull();
});
