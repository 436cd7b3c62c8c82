import type { Connection, Pool } from "mysql2/promise";

/**
 * Gives each query of a client so many milliseconds; then it rejects as a lost connection does, so that a server
 * which holds the connection and says nothing counts as away. Changes and returns the client.
 */
export function bounded<Client extends Pick<Pool | Connection, "query">>(
  client: Client,
  timeoutMs: number,
): Client {
  const query = client.query.bind(client) as unknown as (options: object, values?: unknown) => Promise<never>;
  client.query = ((asked: string | object, values?: unknown) =>
    query({ ...(typeof asked === "string" ? { sql: asked } : asked), timeout: timeoutMs }, values)) as never;
  return client;
}
