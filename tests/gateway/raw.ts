import { connect } from "node:net";
import type { Answer } from "../house.ts";

/** Sends bytes as they are over a connection of its own, and reads the one answer that comes. */
export function raw(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
      const answer = complete(received);
      if (answer) {
        resolve(answer);
        socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`The connection ended after ${JSON.stringify(received)}.`)));
  });
}

/** A request of HTTP/1.1 as text. */
export const requestText = (method: string, target: string, headers: Record<string, string>, body = "") =>
  [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n");

function complete(text: string): Answer | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [status = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers.get("content-length") ?? 0)) return null;
  const parsed = body.startsWith("{") ? JSON.parse(Buffer.from(body, "latin1").toString()) : body;
  return { status: Number(status.split(" ")[1]), headers, body: parsed, data: parsed?.data };
}
