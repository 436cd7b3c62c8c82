import { connect, type Socket } from "node:net";

/** What came back. */
export interface Reply {
  status: number;
  body: string;
}

/** One keep-alive connection, one request at a time; as little work as HTTP/1.1 allows, so that the server is what is measured. */
export class Connection {
  private buffered = "";
  private settle: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
    private readonly token: string,
  ) {
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => this.read(chunk));
    socket.on("error", (error) => this.settle?.reject(error));
    socket.on("close", () => this.settle?.reject(new Error("The server closed the connection.")));
  }

  static open(url: string, token: string): Promise<Connection> {
    const { hostname, port, host } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () =>
        resolve(new Connection(socket, host, token)),
      );
      socket.once("error", reject);
    });
  }

  post(path: string, body = ""): Promise<Reply> {
    const type = body ? "Content-Type: application/json\r\n" : "";
    return this.send(
      `POST ${path} HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${this.token}\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  get(path: string, headers: Record<string, string>): Promise<Reply> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.send(`GET ${path} HTTP/1.1\r\nHost: ${this.host}\r\n${lines.join("")}\r\n`);
  }

  private send(text: string): Promise<Reply> {
    this.socket.write(text);
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  private read(chunk: string): void {
    this.buffered += chunk;
    const head = this.buffered.indexOf("\r\n\r\n");
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.buffered.slice(0, head))?.[1] ?? 0);
    if (this.buffered.length < head + 4 + length) return;
    const reply = {
      status: Number(this.buffered.slice(9, 12)),
      body: this.buffered.slice(head + 4, head + 4 + length),
    };
    this.buffered = this.buffered.slice(head + 4 + length);
    this.settle?.resolve(reply);
  }

  close(): void {
    this.settle = null;
    this.socket.removeAllListeners("close");
    this.socket.destroy();
  }
}
