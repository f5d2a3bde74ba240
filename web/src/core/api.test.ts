// @vitest-environment node
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { Api, ApiError } from "./api.js";

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

const servers: Server[] = [];

/** Starts a server, and returns its API. */
async function apiOf(handler: Handler, heard: (status: number) => void = () => undefined): Promise<Api> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    handler(request, body, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return new Api({ fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init), heard });
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

const stored = { id: "n1", title: "Plan", owner: "ada", created: 1, updated: 2, role: "owner" };

/** Returns the request that a call makes. */
async function asked(call: (api: Api) => Promise<unknown>): Promise<string> {
  let line = "";
  const api = await apiOf((request, body, response) => {
    const type = request.headers["content-type"];
    line = [request.method, request.url, type, body].filter(Boolean).join(" ");
    answer(
      response,
      200,
      request.url?.startsWith("/api/notebooks?")
        ? { notebooks: [] }
        : { ...stored, own: false, trusted: true, sandboxed: false, actor: "person:ada", owner: request.url === "/api/me" ? true : "ada" },
    );
  });
  await call(api);
  return line;
}

async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof ApiError)) throw new Error(`want an ApiError, got ${String(error)}`);
  return error;
}

describe("each call asks for what it is called", () => {
  const calls: readonly (readonly [string, (api: Api) => Promise<unknown>])[] = [
    ["GET /api/me", (api) => api.me()],
    ["GET /api/notebooks?search=a+b&sort=title&order=asc&deleted=true", (api) => api.list({ search: "a b", sort: "title", order: "asc", deleted: true })],
    ["GET /api/notebooks?after=1.n1", (api) => api.list({ search: "", deleted: false, after: "1.n1" })],
    ["GET /api/notebooks/a%2Fb", (api) => api.notebook("a/b")],
    ['POST /api/notebooks application/json {"title":"New"}', (api) => api.create("New")],
    ['PATCH /api/notebooks/n1 application/json {"title":"Other"}', (api) => api.rename("n1", "Other")],
    ["DELETE /api/notebooks/n1", (api) => api.delete("n1")],
    ["POST /api/notebooks/n1/restore", (api) => api.restore("n1")],
    ["POST /api/notebooks/n1/duplicate application/json {}", (api) => api.duplicate("n1")],
    ['POST /api/notebooks/n1/duplicate application/json {"title":"Twin"}', (api) => api.duplicate("n1", "Twin")],
    ["POST /api/notebooks/import?format=py application/octet-stream print(1)", (api) => api.import(new Blob(["print(1)"]), { format: "py" })],
    ["POST /api/notebooks/n1/runtime/restart", (api) => api.restartRuntime("n1")],
    ["DELETE /api/notebooks/n1/runtime", (api) => api.stopRuntime("n1")],
    ["GET /api/notebooks/n1/trust", (api) => api.trust("n1")],
    ['PUT /api/notebooks/n1/trust application/json {"trusted":true}', (api) => api.setTrust("n1", true)],
  ];
  test.each(calls)("%s", async (want, call) => {
    expect(await asked(call)).toBe(want);
  });
});

test("a listing has what the server says, and what it does not say is absent", async () => {
  const api = await apiOf((_, __, response) =>
    answer(response, 200, { notebooks: [{ ...stored, role: "emperor", cells: 3, deleted: 9, brought: "key:ada/box" }, stored], next: "2.n1" }),
  );
  const { role: _, ...without } = stored;
  expect(await api.list()).toStrictEqual({ notebooks: [{ ...without, cells: 3, deleted: 9, brought: "key:ada/box" }, stored], next: "2.n1" });
});

test("the last page of a list has no next", async () => {
  const api = await apiOf((_, __, response) => answer(response, 200, { notebooks: [] }));
  expect(await api.list()).toStrictEqual({ notebooks: [] });
});

test("a principal has the notebook, role and expiry of its token, if any", async () => {
  const token = { actor: "key:ada/box", owner: false, notebook: "n1", role: "runner", expires: 7 };
  const answers: unknown[] = [token, { actor: "person:ada", owner: true }];
  const api = await apiOf((_, __, response) => answer(response, 200, answers.shift()));
  expect(await api.me()).toStrictEqual(token);
  expect(await api.me()).toStrictEqual({ actor: "person:ada", owner: true });
});

test("an export has an address of its own", () => {
  expect(new Api().exportURL("a b", "html")).toBe("/api/notebooks/a%20b/export?format=html");
});

test("a problem is an error with its status, code and a sentence for people", async () => {
  const api = await apiOf((_, __, response) => answer(response, 422, { status: 422, code: "invalid", detail: "the file ends too early" }));
  const error = await failure(api.create("x"));
  expect([error.status, error.code, error.message]).toEqual([422, "invalid", "The file ends too early."]);
});

test("an error that is no problem, as of a proxy, is told by its status", async () => {
  const api = await apiOf((_, __, response) => void response.writeHead(502).end("<h1>Bad Gateway</h1>"));
  expect((await failure(api.me())).message).toBe("The server answered with an error (502).");
});

test("an answer that is not what was asked for is an error, not a surprise later", async () => {
  const api = await apiOf((_, __, response) => answer(response, 200, { id: "n1", title: 7 }));
  expect((await failure(api.notebook("n1"))).message).toMatch(/not what was expected/);
});

test("a server that hangs up is unreachable", async () => {
  const statuses: number[] = [];
  const api = await apiOf(
    (request) => void request.socket.destroy(),
    (status) => statuses.push(status),
  );
  const error = await failure(api.me());
  expect([error.status, error.code, statuses]).toEqual([0, "unreachable", [0]]);
});

test("the status of every answer is heard", async () => {
  const statuses: number[] = [];
  const api = await apiOf(
    (request, _, response) => answer(response, request.method === "DELETE" ? 401 : 200, stored),
    (status) => statuses.push(status),
  );
  await api.notebook("n1");
  await failure(api.delete("n1"));
  expect(statuses).toEqual([200, 401]);
});

test("a call that is given up is neither an error of the server nor heard", async () => {
  const statuses: number[] = [];
  const api = await apiOf(
    () => undefined,
    (status) => statuses.push(status),
  );
  const controller = new AbortController();
  const call = api.me(controller.signal);
  controller.abort(new Error("given up"));
  await expect(call).rejects.toThrow("given up");
  expect(statuses).toEqual([]);
});
