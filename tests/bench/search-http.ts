import { Connection, type Reply } from "./http-client.ts";
import { type Measured, measure } from "./measure.ts";
import type { Bench } from "./program.ts";
import { queryOf, type Search } from "./searches.ts";

export type Program = Awaited<ReturnType<Bench["startProgram"]>>;

const inFlight = 4;
const path = "/api/products/search";

/** The token of a new customer. */
export async function customerOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/identity/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "bench@example.com", password: "correct horse battery", name: "Ada" }),
  });
  return ((await answer.json()) as { data: { accessToken: string } }).data.accessToken;
}

/** The searches on a few connections that stay open, each with one at a time. */
export async function overHttp(url: string, token: string, asked: readonly Search[]): Promise<Measured> {
  const lanes = await Promise.all(Array.from({ length: inFlight }, () => Connection.open(url, token)));
  const queries = asked.map((search) => `${path}?${queryOf(search)}`);
  const headers = { Authorization: `Bearer ${token}` };
  const measured = await measure(asked.length, inFlight, async (n, lane) => {
    answerOf(await (lanes[lane] as Connection).get(queries[n] as string, headers));
  });
  for (const connection of lanes) connection.close();
  return measured;
}

function answerOf({ status, body }: Reply): string {
  if (status !== 200) throw new Error(`${status} ${body}`);
  return body;
}

/** Resident memory in MB once it no longer changes. */
export async function settledMb(program: Program): Promise<number> {
  let [before, now] = [0, await program.rssMb()];
  for (let second = 0; second < 30 && Math.abs(now - before) > 1; second += 3) {
    await Bun.sleep(3000);
    [before, now] = [now, await program.rssMb()];
  }
  return now;
}

/** Waits until a program finds so many products for a query. */
export async function untilFound({ url, token }: Program, total: number, q = ""): Promise<void> {
  const connection = await Connection.open(url, token);
  const headers = { Authorization: `Bearer ${token}` };
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(2)) {
    const { meta } = JSON.parse(answerOf(await connection.get(`${path}?limit=1&q=${q}`, headers)));
    if (meta.total === total) return connection.close();
  }
  throw new Error(`The program does not find ${total} products.`);
}
