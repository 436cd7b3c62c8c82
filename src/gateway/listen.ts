import type { Server } from "bun";
import type { Gateway } from "./gateway.ts";

const defaultPort = 8080;
const idleTimeoutSeconds = 60;

interface Listening {
  /** Absent: 8080. */
  port: number | undefined;
  /** Shares its port with no other process, and takes the next one where the default is taken. */
  alone: boolean;
}

/** Opens the port. Bun's own limit of a body is lifted, since it would answer by itself; ours is kept where bodies are read. */
export function listen(gateway: Gateway, { port, alone }: Listening): Server<undefined> {
  const first = port ?? defaultPort;
  const last = alone && port === undefined ? first + 99 : first;
  for (let next = first; ; next++) {
    try {
      return Bun.serve({
        port: next,
        reusePort: !alone,
        idleTimeout: idleTimeoutSeconds,
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        fetch: (request, server) => gateway.answer(request, server.requestIP(request)?.address ?? ""),
        // Bun would show its own page, with the place in the program and what led there.
        development: false,
        error: (error) => gateway.failed(error),
      });
    } catch (error) {
      if (next === last || (error as { code?: string }).code !== "EADDRINUSE") throw error;
    }
  }
}
