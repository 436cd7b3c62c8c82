import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import { readConfig } from "../../src/config.ts";
import { createWorld } from "../../src/world.ts";
import { Connection } from "./http-client.ts";
import { openLimit } from "./limits.ts";
import { type Measured, measure, show } from "./measure.ts";
import type { Bench } from "./program.ts";

/* Commands: half of them create a request, half advance one. The requests are driven through the API. */

export const body: CreateRequest = {
  tenantId: "tenant-1",
  orderId: "order-1",
  orderItemId: "item-1",
  resourceType: "BACKUP",
  specification: { sourceId: "volume-1", schedule: "0 3 * * *", retentionDays: 7 },
};
const origin = originOf("bench", { requestId: "bench", correlationId: "bench" });

/** Started requests, enough for `advances` advances. */
export async function startedRequests(mailbox: Mailbox, advances: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: Math.ceil(advances / 4) }, async () => {
      const { state } = (await mailbox.send(request.create, { input: body, origin })) as {
        state: { id: string };
      };
      await mailbox.send(request.start, { id: state.id, input: {}, origin });
      return state.id;
    }),
  );
  return ids;
}

export async function commands(bench: Bench): Promise<void> {
  const world = createWorld(readConfig(bench.environment));
  const program = await bench.startProgram();
  const mailbox = openMailbox(world);
  const results: Record<string, Measured> = {};
  try {
    console.log("commands: create and advance, half and half");
    await overHttp(mailbox, program, 64, 10_000); // warm
    for (const [inFlight, total] of [
      [1, 2000],
      [64, 30_000],
      [256, 30_000],
    ] as const) {
      const measured = await overHttp(mailbox, program, inFlight, total);
      results[`http${inFlight}`] = measured;
      show(`over HTTP, everything on, ${inFlight} in flight`, measured);
    }
    await program.stop();
    await mailboxAlone(mailbox, 4000);
    results["mailbox"] = await mailboxAlone(mailbox, 30_000);
    show("the locking batch without HTTP, 64 in flight", results["mailbox"]);
    results["limit"] = await bestPool(world.mysql);
    const ratio = (name: string) =>
      ((results["http64"]?.perSecond ?? 0) / (results[name]?.perSecond ?? 1)).toFixed(2);
    console.log(
      `  at 64 in flight: ${ratio("limit")} x one transaction a command (at least 0.8), ${ratio("mailbox")} x the batch without HTTP`,
    );
  } finally {
    await mailbox.close();
    await world.close();
  }
}

type Program = Pick<Awaited<ReturnType<Bench["startProgram"]>>, "url" | "token">;

/** Half creates, half advances, each connection with one request at a time. */
export async function overHttp(
  mailbox: Mailbox,
  { url, token }: Program,
  inFlight: number,
  total: number,
): Promise<Measured> {
  const ids = await startedRequests(mailbox, total / 2);
  const lanes = await Promise.all(Array.from({ length: inFlight }, () => Connection.open(url, token)));
  const text = JSON.stringify(body);
  const measured = await measure(total, inFlight, async (n, lane) => {
    const connection = lanes[lane] as Connection;
    const advance = n % 2 === 1;
    const path = "/api/provisioning/requests";
    const reply = advance
      ? await connection.post(`${path}/${advanced(ids, n)}/advance`)
      : await connection.post(path, text);
    if (reply.status !== (advance ? 200 : 201)) throw new Error(`${reply.status} ${reply.body}`);
  });
  for (const connection of lanes) connection.close();
  return measured;
}

/** Each request is advanced four times, far apart. */
const advanced = (ids: string[], n: number) => ids[((n - 1) / 2) % ids.length] as string;

async function mailboxAlone(mailbox: Mailbox, total: number): Promise<Measured> {
  const ids = await startedRequests(mailbox, total / 2);
  return measure(total, 64, (n) =>
    n % 2 === 1
      ? mailbox.send(request.advance, { id: advanced(ids, n), input: {}, origin })
      : mailbox.send(request.create, { input: body, origin }),
  );
}

async function bestPool(mysql: Parameters<typeof openLimit>[0]): Promise<Measured> {
  let best: Measured | null = null;
  for (const size of [8, 16, 32, 64]) {
    const limit = openLimit(mysql, size);
    const ids = await Promise.all(Array.from({ length: 2000 }, () => limit.create()));
    const measured = await measure(16_000, 64, (n) =>
      n % 2 === 1 ? limit.advance(advanced(ids, n)) : limit.create(),
    );
    await limit.close();
    show(`one transaction a command, pool of ${size}`, measured);
    if (!best || measured.perSecond > best.perSecond) best = measured;
  }
  return best as Measured;
}
