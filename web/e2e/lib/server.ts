import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The program under test: by default the one that `make build` makes. */
const program = process.env["PROGRAM"] ?? resolve(import.meta.dirname, "../../../bin/quire");

/** Server is the real program with a data directory of its own. */
export class Server {
  readonly url: string;
  readonly data: string;
  readonly #port: number;
  readonly #env: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #log = "";

  private constructor(port: number, data: string, env: Readonly<Record<string, string>>) {
    this.#port = port;
    this.#env = env;
    this.data = data;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts a server on a free port, with additional environment variables. */
  static async start(env: Readonly<Record<string, string>> = { QUIRE_TRUST_IMPORTS: "1" }): Promise<Server> {
    const server = new Server(await freePort(), await mkdtemp(join(tmpdir(), "quire-e2e-")), env);
    await server.start();
    return server;
  }

  /** Starts the process, with the same port and data each time. */
  async start(): Promise<void> {
    const child = spawn(program, ["serve", "--addr", `127.0.0.1:${this.#port}`, "--data", this.data], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, QUIRE_PYTHON: "/usr/bin/python3", ...this.#env },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (this.#log += String(text)));
    this.#process = child;
    await this.#ready(child);
  }

  /** Kills the process, as a power failure does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the process as a service manager does. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** Stops the process and the runtimes that it started, and removes the data. */
  async dispose(): Promise<void> {
    if (!this.#process) await this.start();
    for (const { id } of await this.notebooks()) await this.fetch(`/api/notebooks/${id}/runtime`, { method: "DELETE" });
    await this.stop();
    await rm(this.data, { recursive: true, force: true });
  }

  /** Returns a sign-in link, which works once. */
  async link(): Promise<string> {
    return this.quire("link");
  }

  /** Runs the program as a client of this server and returns what it prints. */
  quire(...args: string[]): Promise<string> {
    return this.quireIn({}, ...args);
  }

  /** Is like quire, with additional environment variables. */
  async quireIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
    const child = spawn(program, [...args, "--data", this.data], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    let out = "";
    let err = "";
    child.stdout.on("data", (text) => (out += String(text)));
    child.stderr.on("data", (text) => (err += String(text)));
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`quire ${args.join(" ")}: exit ${String(code)}: ${err}`);
    return out.trim();
  }

  /** Sends a request as the owner. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { token } = await this.#discovered();
    return fetch(this.url + path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });
  }

  async notebooks(): Promise<{ id: string; title: string }[]> {
    const answer: { notebooks: { id: string; title: string }[] } = await (await this.fetch("/api/notebooks?limit=100")).json();
    return answer.notebooks;
  }

  /** Returns the sources of all cells of a notebook as the server has them, one after the other. */
  async sources(notebook: string): Promise<string> {
    return (await this.cells(notebook)).map(({ source }) => source).join("\n");
  }

  /** Returns the cells of a notebook as the server has them. */
  async cells(notebook: string): Promise<readonly { readonly id: string; readonly source: string }[]> {
    const answer = await this.fetch(`/api/notebooks/${notebook}/export?format=ipynb`);
    const { cells }: { cells: { id: string; source: string | string[] }[] } = await answer.json();
    return cells.map(({ id, source }) => ({ id, source: Array.isArray(source) ? source.join("") : source }));
  }

  async #discovered(): Promise<{ token: string }> {
    const found: { token: string } = JSON.parse(await readFile(join(this.data, "server.json"), "utf8"));
    return found;
  }

  async #ready(child: ChildProcess): Promise<void> {
    for (let i = 0; i < 2400; i++) {
      if (child.exitCode !== null) throw new Error(`the server ended: ${this.#log}`);
      const up = await fetch(`${this.url}/api/health`).then(
        (a) => a.ok,
        () => false,
      );
      if (up) return;
      await new Promise((done) => setTimeout(done, 25));
    }
    throw new Error(`the server is not up after a minute: ${this.#log}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }
}

/** Returns a free port below the ephemeral ports: an outgoing connection could otherwise take it while the server is stopped. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error("no port");
}
