import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";

/** Another loopback address: the server refuses a Host header with another port than its own. */
const host = "127.0.0.2";

/** Failure is how a response fails: the connection is closed, a gateway answers, or the body is cut short. */
export type Failure = "refused" | "bad gateway" | "cut";

/** Proxy forwards connections to a server, and can cut them or change what passes. */
export class Proxy {
  /** Whether rooms refuse pages as the rooms of a newer server do. */
  newer = false;
  /** The token that requests carry from now on in place of the browser's cookie; undefined for the cookie. */
  token: string | undefined;
  /** Returns how the response for a path fails; undefined for no failures. */
  fail: ((path: string) => Failure | undefined) | undefined;
  readonly #target: URL;
  readonly #server: NetServer;
  readonly #sockets = new Set<Socket>();
  #disconnected = false;

  private constructor(server: NetServer, target: URL) {
    this.#server = server;
    this.#target = target;
  }

  /** Returns an address of the server as it is behind the proxy. */
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
  disconnect(): void {
    this.#disconnected = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reconnect(): void {
    this.#disconnected = false;
  }

  async close(): Promise<void> {
    this.disconnect();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #join(near: Socket, port: number): Promise<void> {
    if (this.#disconnected) return void near.destroy();
    this.#sockets.add(near);
    near.on("error", () => near.destroy());
    const [first]: Buffer[] = await once(near, "data").catch(() => []);
    if (!first || this.#disconnected) return void near.destroy();
    if (this.newer && /^GET \S+\/sync /.test(first.toString("latin1"))) return refuse(near, first.toString("latin1"));
    const failure = this.fail?.(/^\S+ (\S+)/.exec(first.toString("latin1"))?.[1] ?? "");
    if (failure === "refused") return void near.destroy();
    if (failure === "bad gateway")
      return void near.end("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nAway");
    this.#pipe(near, port, this.token === undefined ? (this.fail ? last(first) : first) : withToken(this.token, first), failure === "cut" ? 3_000 : undefined);
  }

  /** Forwards both ways, and closes the connection after so many bytes of the response. */
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

/** Returns a request with a token. It is the last of its connection, since a later one would have no token. */
function withToken(token: string, request: Buffer): Buffer {
  const [line = "", ...head] = last(request).toString("latin1").split("\r\n");
  return Buffer.from([line, `Authorization: Bearer ${token}`, ...head].join("\r\n"), "latin1");
}

/** Returns a request as the last of its connection, unless it opens a socket. */
function last(request: Buffer): Buffer {
  const [line = "", ...head] = request.toString("latin1").split("\r\n");
  if (head.some((field) => /^upgrade:/i.test(field))) return request;
  return Buffer.from([line, "Connection: close", ...head.filter((field) => !/^connection:/i.test(field))].join("\r\n"), "latin1");
}

/** Opens a WebSocket (RFC 6455) with the subprotocol of pages, and sends the message that the page is too old. */
function refuse(near: Socket, request: string): void {
  const key = /^sec-websocket-key: *(\S+)/im.exec(request)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const message = Buffer.from(JSON.stringify({ kind: "closed", code: "version", message: "the server is newer" }));
  near.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: quire\r\n\r\n`,
  );
  near.write(Buffer.concat([Buffer.from([0x81, message.length]), message]));
}
