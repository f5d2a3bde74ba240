import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";

/** The other address of this machine: the server answers to no other port than its own. */
const host = "127.0.0.2";

/** Proxy is a cable to a server, which can be pulled. */
export class Proxy {
  /** Whether rooms answer as those of a server do that is newer than the page. */
  newer = false;
  /** What requests show the server from now on in the place of the browser's cookie; undefined for the cookie. */
  token: string | undefined;
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
    server.on("connection", (socket) => void proxy.#join(socket, Number(target.port)));
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

  async #join(near: Socket, port: number): Promise<void> {
    if (this.#pulled) return void near.destroy();
    this.#sockets.add(near);
    near.on("error", () => near.destroy());
    const [first]: Buffer[] = await once(near, "data").catch(() => []);
    if (!first || this.#pulled) return void near.destroy();
    if (this.newer && /^GET \S+\/sync /.test(first.toString("latin1"))) return refuse(near, first.toString("latin1"));
    this.#pipe(near, port, this.token === undefined ? first : showing(this.token, first));
  }

  #pipe(near: Socket, port: number, first: Buffer): void {
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
    far.write(first);
  }
}

/** Returns the head of a request with a token in it. It is the connection's last, so that none follows without. */
function showing(token: string, request: Buffer): Buffer {
  const [line = "", ...head] = request.toString("latin1").split("\r\n");
  const upgrades = head.some((field) => /^upgrade:/i.test(field));
  const kept = upgrades ? head : ["Connection: close", ...head.filter((field) => !/^connection:/i.test(field))];
  return Buffer.from([line, `Authorization: Bearer ${token}`, ...kept].join("\r\n"), "latin1");
}

/** Opens a WebSocket (RFC 6455) and says in its one message that the page is too old. */
function refuse(near: Socket, request: string): void {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const message = Buffer.from(JSON.stringify({ kind: "closed", code: "version", message: "the server is newer" }));
  near.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  near.write(Buffer.concat([Buffer.from([0x81, message.length]), message]));
}
