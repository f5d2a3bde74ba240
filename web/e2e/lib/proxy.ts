import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";

/** The other address of this machine: the server answers to no other port than its own. */
const host = "127.0.0.2";

/** How an answer is spoiled: there is none, it is a proxy's, or it ends in the middle. */
export type Spoiled = "refused" | "bad gateway" | "cut";

/** Proxy is a cable to a server, which can be pulled. */
export class Proxy {
  /** Whether rooms answer as those of a server do that is newer than the page. */
  newer = false;
  /** What requests show the server from now on in the place of the browser's cookie; undefined for the cookie. */
  token: string | undefined;
  /** Which answers are spoiled from now on, and how; undefined for none. */
  spoil: ((path: string) => Spoiled | undefined) | undefined;
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
    const spoiled = this.spoil?.(/^\S+ (\S+)/.exec(first.toString("latin1"))?.[1] ?? "");
    if (spoiled === "refused") return void near.destroy();
    if (spoiled === "bad gateway")
      return void near.end("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nAway");
    this.#pipe(near, port, this.token === undefined ? (this.spoil ? last(first) : first) : showing(this.token, first), spoiled === "cut" ? 3_000 : undefined);
  }

  /** Joins the two ends, and cuts them after so many bytes of the answer. */
  #pipe(near: Socket, port: number, first: Buffer, most = Infinity): void {
    const far = connect(port, "127.0.0.1");
    let sent = 0;
    far.on("data", (data: Buffer) => {
      sent += data.length;
      if (sent > most) near.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
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
  const [line = "", ...head] = last(request).toString("latin1").split("\r\n");
  return Buffer.from([line, `Authorization: Bearer ${token}`, ...head].join("\r\n"), "latin1");
}

/** Returns a request as the last of its connection, unless it opens a socket. */
function last(request: Buffer): Buffer {
  const [line = "", ...head] = request.toString("latin1").split("\r\n");
  if (head.some((field) => /^upgrade:/i.test(field))) return request;
  return Buffer.from([line, "Connection: close", ...head.filter((field) => !/^connection:/i.test(field))].join("\r\n"), "latin1");
}

/** Opens a WebSocket (RFC 6455), for the subprotocol that pages offer, and says in its one message that the page is too old. */
function refuse(near: Socket, request: string): void {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const message = Buffer.from(JSON.stringify({ kind: "closed", code: "version", message: "the server is newer" }));
  near.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: quire\r\n\r\n`,
  );
  near.write(Buffer.concat([Buffer.from([0x81, message.length]), message]));
}
