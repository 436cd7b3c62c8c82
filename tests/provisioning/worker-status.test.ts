import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hostname } from "node:os";
import { seedAdmin, seedCluster } from "../../src/seed.ts";
import { startLandfall } from "../../src/start.ts";
import { streamOf } from "../../streams/topics.ts";
import { ownConfig } from "../config.ts";
import { openSite } from "../crash/site.ts";
import { adminEmail, houseOf, openHouse, type Person, password } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { operatorOf } from "./operator.ts";
import { requests } from "./stages.ts";

setDefaultTimeout(60_000);

const path = "/api/provisioning/worker-status";
const statusFor = async (person: Person) => (await person.call("GET", path)).data;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const idle = (kind: string) => ({ kind, due: 0, running: 0, failed: 0 });
const drives = (counts: { due?: number; running?: number; failed?: number } = {}) => [
  { ...idle("provisioning.drive"), ...counts },
  idle("provisioning.approval-expiry"),
  idle("provisioning.quota-warning"),
];

/** A program that opens its doors and does no work, on a database of its own. */
async function openDoors() {
  const config = ownConfig();
  const program = await startLandfall(config, { roles: ["web"] });
  await seedAdmin(program.landfall, adminEmail, password);
  await seedCluster(program.landfall);
  const house = houseOf(program);
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  return { config, house, admin, operator: operatorOf({ house, customer, admin }) };
}

describe("GET /provisioning/worker-status", () => {
  test.concurrent("shows each process while it runs, and the jobs that it has in hand", async () => {
    const { config, house, admin, operator } = await openDoors();
    await using _ = house;
    const self = {
      ...{ id: house.world.instance, roles: ["web"], host: hostname(), inFlight: 0 },
      ...{ startedAt: timestamp, lastSeenAt: timestamp },
    };
    const groups = [{ group: "provisioning", lag: 0, pending: 0, deadLetters: 0 }];
    await eventually(async () => (await statusFor(admin)).workers.length === 1);
    expect(await statusFor(admin)).toEqual({ workers: [self], jobs: drives(), groups });

    for (let i = 0; i < 3; i++) await operator.run({ hangAt: "ALLOCATE" });
    expect((await statusFor(admin)).jobs).toEqual(drives({ due: 3 }));

    const worker = await startLandfall(config, { roles: ["worker"] });
    const other = { ...self, id: worker.landfall.world.instance, roles: ["worker"], inFlight: 3 };
    await eventually(async () => (await statusFor(admin)).workers[1]?.inFlight === 3);
    const busy = await statusFor(admin);
    expect([busy.workers, busy.jobs]).toEqual([[self, other], drives({ running: 3 })]);
    const [first, second] = busy.workers;
    expect(first.startedAt < second.startedAt && second.startedAt < second.lastSeenAt).toBe(true);

    await worker.stop();
    const after = await statusFor(admin);
    expect([after.workers, after.jobs]).toEqual([[self], drives({ due: 3 })]);
  });

  test.concurrent("shows a process whose clock is slow", async () => {
    await using house = await openHouse();
    const { config } = house.program.landfall;
    const slow = await startLandfall(config, { now: () => new Date(Date.now() - 60_000) });
    const admin = await house.admin();
    await eventually(async () => (await statusFor(admin)).workers.length === 2);
    const [first] = (await statusFor(admin)).workers;
    expect(first.id).toBe(slow.landfall.world.instance);
    await slow.stop();
  });

  test.concurrent("counts the jobs that wait for their next try after a failure", async () => {
    await using house = await openHouse();
    const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
    const operator = operatorOf({ house, customer, admin });
    const id = await operator.run({ failAt: "CONFIGURE", undoFails: true });
    await operator.until(id, "ROLLBACK_FAILED");
    await eventually(async () => Bun.deepEquals((await statusFor(admin)).jobs, drives()));
    await operator.send(id, "retry");
    await eventually(async () => (await operator.get(id)).error?.code === "SIMULATED_UNDO_FAILURE");
    await eventually(async () => Bun.deepEquals((await statusFor(admin)).jobs, drives({ failed: 1 })));
    await operator.remove(id);
    await operator.until(id, "DEPROVISIONED");
    await eventually(async () => Bun.deepEquals((await statusFor(admin)).jobs, drives()));
  });

  test.concurrent("counts the events that a group was not given, has not finished, and gave up", async () => {
    const { config, house, admin } = await openDoors();
    await using _ = house;
    const { world } = house;
    const topic = streamOf(world.platform, "order.provisioning-started");
    const tell = () =>
      world.pool.query(
        "INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES (?, ?, 'c', NOW(3), '{}')",
        [world.newId(), topic],
      );
    for (let i = 0; i < 4; i++) await tell();
    const letters = [
      ["provisioning", "DEAD"],
      ["provisioning", "DEAD"],
      ["provisioning", "REPLAYED"],
      ["provisioning", "DISCARDED"],
      ["another", "DEAD"],
    ];
    for (const [group, status] of letters)
      await world.pool.query(
        `INSERT INTO dead_letters (id, version, createdAt, updatedAt, topic, \`group\`, eventId, eventType,
           envelope, attempts, firstFailedAt, lastFailedAt, error, status)
         VALUES (?, 1, NOW(3), NOW(3), ?, ?, ?, ?, '{}', 4, NOW(3), NOW(3), 'No.', ?)`,
        [world.newId(), topic, group, world.newId(), topic, status],
      );
    const group = { group: "provisioning", lag: 4, pending: 0, deadLetters: 2 };
    expect((await statusFor(admin)).groups).toEqual([group]);

    // No handler takes these events; each is tried six times, which takes longer than this test.
    const worker = await startLandfall(config, { roles: ["worker"] });
    const given = [{ ...group, lag: 0, pending: 4 }];
    await eventually(async () => Bun.deepEquals((await statusFor(admin)).groups, given));
    await worker.stop();
  });

  test.concurrent("forgets a process that was killed, and is unavailable without Redis, alone", async () => {
    await using site = await openSite();
    const { first, world } = site;
    const get = async (address: string) => {
      const answer = await site.call(first.url, "GET", address);
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
    };
    const seen = async (): Promise<any[]> => (await get(path)).body.data.workers;
    const second = await site.start();
    await eventually(async () => (await seen()).length === 2);
    const [{ id: own }, { id: killed }] = (await seen()) as [any, any];
    await second.kill();
    expect((await seen()).map(({ id }) => id)).toEqual([own, killed]);
    // As if sixteen seconds had passed since it was seen.
    const key = `${world.platform}.workers`;
    const entry = JSON.parse((await world.redis.hget(key, killed)) ?? "");
    const lastSeenAt = new Date(Date.now() - 16_000);
    await world.redis.hset(key, killed, JSON.stringify({ ...entry, lastSeenAt }));
    expect((await seen()).map(({ id }) => id)).toEqual([own]);
    await eventually(async () => (await world.redis.hlen(key)) === 1);

    await site.killRedis();
    const away = await get(path);
    expect([away.status, away.body.code, away.headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
    for (const other of ["stats", "instances?status=ACTIVE", "requests"])
      expect([other, (await get(`/api/provisioning/${other}`)).status]).toEqual([other, 200]);
    const awaySince = new Date().toISOString();
    await site.restartRedis();
    await eventually(async () => (await get(path)).status === 200);
    await eventually(async () => (await seen())[0]?.lastSeenAt > awaySince);
    expect((await seen()).map(({ id }) => id)).toEqual([own]);
    expect((await site.call(first.url, "GET", requests)).status).toBe(200);
  });
});
