import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { once } from "node:events";

/** The other address of this machine: the server answers to no other port than its own. */
const host = "127.0.0.2";

/** Proxy is a cable to a server, which can be pulled. */
export class Proxy {
  readonly #target: URL;
  readonly #server: NetServer;
  readonly #sockets = new Set<Socket>();
  #pulled = false;

  private constructor(server: NetServer, target: URL) {
    this.#server = server;
    this.#target = target;
  }

  /** Returns an address of the server as it is through the cable. */
  through(address: string): string {
    return address.replace(this.#target.hostname, host);
  }

  static async to(target: URL): Promise<Proxy> {
    const server = createServer();
    server.listen(Number(target.port), host);
    await once(server, "listening");
    const proxy = new Proxy(server, target);
    server.on("connection", (socket) => proxy.#join(socket, Number(target.port)));
    return proxy;
  }

  /** Cuts all connections; new ones are cut at once. */
  pull(): void {
    this.#pulled = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  plug(): void {
    this.#pulled = false;
  }

  async close(): Promise<void> {
    this.pull();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near: Socket, port: number): void {
    if (this.#pulled) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [[near, far], [far, near]] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
