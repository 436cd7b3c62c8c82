import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { drizzle } from "drizzle-orm/mysql2";
import { migrate as applyMigrations } from "drizzle-orm/mysql2/migrator";
import { createConnection } from "mysql2/promise";
import { amountsOf, nothing, plus } from "../../actors/provisioning/amounts.ts";
import { counterId } from "../../actors/provisioning/quota.ts";
import { migrate } from "../../schema/migrate.ts";
import { clusters } from "../../schema/provisioning/cluster.ts";
import { quotaCounters } from "../../schema/provisioning/quota.ts";
import { provisioningRequests } from "../../schema/provisioning/request.ts";
import type { Config } from "../../src/config.ts";
import { createWorld } from "../../src/world.ts";
import { ownConfig } from "../config.ts";

/* What the version before quotas left in its database. */

const machine = { vcpu: 2, memoryMb: 4096, diskGb: 40 };
const ordered: [type: string, status: string, specification: object][] = [
  ["VM", "ACTIVE", { ...machine, image: "debian-12" }],
  ["VM", "PENDING", { ...machine, vcpu: 8, image: "debian-12" }],
  ["VM", "FAILED", { ...machine, image: "debian-12" }],
  ["VM", "DEPROVISIONED", { ...machine, image: "debian-12" }],
  ["DATABASE", "SUSPENDED", { engine: "mysql", version: "8", vcpu: 4, memoryMb: 8192, storageGb: 100 }],
  [
    "KUBERNETES",
    "PROVISIONING",
    {
      version: "1.31",
      controlPlaneCount: 3,
      nodePools: [
        { name: "a", count: 3, ...machine },
        { name: "b", count: 2, ...machine, vcpu: 16 },
      ],
    },
  ],
  ["VOLUME", "ROLLING_BACK", { sizeGb: 500 }],
  ["OBJECT_STORAGE", "ACTIVE", { quotaGb: 1000, versioning: true }],
  ["FLOATING_IP", "DEPROVISIONING", { family: 4 }],
  ["NETWORK", "ACTIVE", { cidr: "10.0.0.0/24" }],
  ["DNS_ZONE", "ACTIVE", { name: "example.com" }],
  ["MANUAL", "AWAITING_MANUAL", { task: 'ünïcode \\ "quoted"', vcpu: 7 }],
  ["BACKUP", "ROLLBACK_FAILED", { sourceId: "vm-1", schedule: "0 3 * * *", retentionDays: 7 }],
];
const ended = ["REJECTED", "FAILED", "ROLLBACK_FAILED", "DEPROVISIONED"];

let config: Config;
let world: ReturnType<typeof createWorld>;
const folder = mkdtempSync(join(tmpdir(), "landfall-migrations-"));

beforeAll(async () => {
  config = ownConfig();
  world = createWorld(config);
  const { database, ...server } = world.mysql;
  const connection = await createConnection({ ...server, multipleStatements: true });
  await connection.query(`CREATE DATABASE \`${database}\`; USE \`${database}\``);
  cpSync(resolve(import.meta.dir, "../../schema/migrations"), folder, { recursive: true });
  const journal = join(folder, "meta/_journal.json");
  const all = JSON.parse(readFileSync(journal, "utf8"));
  writeFileSync(journal, JSON.stringify({ ...all, entries: all.entries.slice(0, 4) }));
  await applyMigrations(drizzle(connection), { migrationsFolder: folder });
  const now = new Date();
  const record = { version: 1, createdAt: now, updatedAt: now };
  await connection.query("INSERT INTO clusters SET ?", {
    ...record,
    ...{ id: "cluster-1", name: "Simulated", type: "SIMULATED", region: "eu", metadata: "{}" },
    ...{ isDefault: true, provisioningEnabled: true },
  });
  for (const [i, [resourceType, status, specification]] of ordered.entries())
    await connection.query("INSERT INTO provisioning_requests SET ?", {
      ...record,
      ...{ id: `request-${i}`, tenantId: i % 2 ? "tenant-1" : "ténant 2", orderId: "o", orderItemId: "i" },
      ...{ resourceType, status, specification: JSON.stringify(specification), metadata: "{}", steps: "[]" },
      ...{ retryCount: 0, maxRetries: 3, clusterId: i % 3 ? "cluster-1" : null },
      ...{ leftovers: "[]", createdBy: "user-1" },
    });
  await connection.end();
  await migrate(world.mysql);
});
afterAll(async () => {
  await world.pool.query("DROP DATABASE ??", [world.mysql.database]);
  await world.close();
  rmSync(folder, { recursive: true });
});

const requests = () => world.db.select().from(provisioningRequests);
const sumOf = (some: Awaited<ReturnType<typeof requests>>) =>
  some.reduce((sum, { reserved }) => plus(sum, reserved ?? nothing), nothing);

describe("a database of the version before quotas", () => {
  test("is told what each request holds", async () => {
    for (const state of await requests())
      expect([state.status, state.reserved]).toEqual([
        state.status,
        ended.includes(state.status) ? null : amountsOf(state),
      ]);
  });

  test("has a counter for each tenant and type, where the program looks for it", async () => {
    const all = await requests();
    const counters = await world.db.select().from(quotaCounters);
    const live = all.filter(({ reserved }) => reserved !== null);
    expect(counters.map(({ id }) => id).sort()).toEqual([...new Set(live.map(counterId))].sort());
    for (const counter of counters)
      expect(counter.used).toEqual(sumOf(live.filter((one) => counterId(one) === counter.id)));
  });

  test("has its cluster with what is used of it, and nothing known of its health", async () => {
    const [found] = await world.db.select().from(clusters);
    const placed = (await requests()).filter(({ clusterId }) => clusterId === "cluster-1");
    expect(sumOf(placed)).toMatchObject(found?.used as object);
    expect(found).toMatchObject({ capacity: {}, status: "UNKNOWN", statusSince: null, credentialsRef: null });
  });
});
