import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

/* Wires between a program and its servers: at a chosen moment they kill the program and cut it off. */

/** How a client talks: where its first message ends, and a question that the server answers with the text in it. */
interface Protocol {
  /** Infinity where the bytes do not tell yet. */
  messageLength(bytes: Buffer): number;
  echo(text: string): Buffer;
}

const protocols = {
  /** A packet: three bytes of length, a number, and then a command. */
  mysql: {
    messageLength: (bytes) => (bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUIntLE(0, 3)),
    echo(text) {
      const command = Buffer.from(`\x03SELECT '${text}'`);
      return Buffer.concat([Buffer.from([command.length, 0, 0, 0]), command]);
    },
  },
  /** An array of texts, each after its length. */
  redis: {
    messageLength(bytes) {
      let { number: texts, next } = lineAt(bytes, 0);
      for (; texts > 0 && next < bytes.length; texts--) {
        const text = lineAt(bytes, next);
        next = text.next + text.number + 2;
      }
      return texts > 0 ? Number.POSITIVE_INFINITY : next;
    },
    echo: (text) => Buffer.from(`*2\r\n$4\r\nECHO\r\n$${text.length}\r\n${text}\r\n`),
  },
} satisfies Record<string, Protocol>;
type Name = keyof typeof protocols;

/** The number in the line that begins there, after its first sign, and where the next line begins. */
function lineAt(bytes: Buffer, start: number): { number: number; next: number } {
  const end = bytes.indexOf("\r\n", start);
  if (end === -1) return { number: 0, next: Number.POSITIVE_INFINITY };
  return { number: Number(bytes.toString("latin1", start + 1, end)), next: end + 2 };
}

/** A moment in what a program and one of its servers say to each other. */
export interface Moment {
  wire: Name;
  /**
   * `unsent`: the server never gets this message. `done`: it has done what the message asks, and the answer is lost.
   * `undelivered`: this message of the server's is lost.
   */
  when: "unsent" | "done" | "undelivered";
  message: RegExp;
}

/** Waits for a moment, once. */
interface Trap {
  /** Whether this is the moment. */
  meets(when: Moment["when"], message: Buffer): boolean;
  spring(): void;
}

const endOfAnswer = "the-server-has-done-it";

/** Lets two sockets talk until one of them closes, or the trap springs. */
function splice(protocol: Protocol, client: Socket, server: Socket, trap: Trap): void {
  let unread = Buffer.alloc(0);
  let answer: Buffer | undefined;
  client.on("data", (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      const length = protocol.messageLength(unread);
      if (length > unread.length || answer) return;
      const message = unread.subarray(0, length);
      unread = unread.subarray(length);
      if (trap.meets("unsent", message)) return trap.spring();
      server.write(message);
      if (!trap.meets("done", message)) continue;
      // Servers answer in turn: once this one says the text, it has done all before.
      server.write(protocol.echo(endOfAnswer));
      answer = Buffer.alloc(0);
    }
  });
  server.on("data", (bytes: Buffer) => {
    if (answer) {
      answer = Buffer.concat([answer, bytes]);
      if (answer.includes(endOfAnswer)) trap.spring();
    } else if (trap.meets("undelivered", bytes)) trap.spring();
    else client.write(bytes);
  });
}

const defaultPorts = { mysql: 3306, redis: 6379 };
const pathOf = (url: string) => (url.startsWith("unix:") ? decodeURIComponent(new URL(url).pathname) : null);

/** Wires to both servers, with sockets in `dir`; `urls` lead through them. */
export async function openWires(targets: Record<Name, string>, dir: string) {
  const sockets = new Set<Socket>();
  let awaited: (Moment & { spring(): void }) | null = null;
  const trapOn = (wire: Name): Trap => {
    let met: typeof awaited = null;
    return {
      meets(when, message) {
        if (awaited?.wire !== wire || awaited.when !== when) return false;
        if (!awaited.message.test(message.toString("latin1"))) return false;
        [met, awaited] = [awaited, null];
        return true;
      },
      spring() {
        met?.spring();
        for (const socket of sockets) socket.destroy();
      },
    };
  };
  const open = async (wire: Name) => {
    const url = targets[wire];
    const path = pathOf(url);
    const { hostname, port } = new URL(url);
    const listener = createServer((client) => {
      const server = connect(path ? { path } : { host: hostname, port: Number(port || defaultPorts[wire]) });
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on("error", () => {}); // it closes
        socket.on("close", () => {
          sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      splice(protocols[wire], client, server, trapOn(wire));
    });
    const own = join(dir, `${wire}.sock`);
    await new Promise<void>((resolve) =>
      path ? listener.listen(own, resolve) : listener.listen(0, "127.0.0.1", resolve),
    );
    const through = path
      ? url.replace(new URL(url).pathname, own)
      : Object.assign(new URL(url), { hostname: "127.0.0.1", port: (listener.address() as AddressInfo).port })
          .href;
    return { through, listener };
  };
  const [mysql, redis] = await Promise.all([open("mysql"), open("redis")]);
  return {
    urls: { MYSQL_URL: mysql.through, REDIS_URL: redis.through },
    /** Calls `kill` at the moment, and cuts all that goes through the wires; rejects when it does not come within 10 s. */
    async killAt(moment: Moment, kill: () => Promise<void>): Promise<void> {
      const sprung = Promise.withResolvers<void>();
      const late = setTimeout(() => sprung.reject(new Error("The moment did not come.")), 10_000);
      awaited = { ...moment, spring: () => sprung.resolve(kill()) };
      await sprung.promise.finally(() => clearTimeout(late));
    },
    close() {
      for (const socket of sockets) socket.destroy();
      for (const { listener } of [mysql, redis]) listener.close();
    },
  };
}
