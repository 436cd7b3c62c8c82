import { expect } from "bun:test";
import { type Amounts, dimensions } from "../../schema/provisioning/amounts.ts";
import { seedAdmin } from "../../src/seed.ts";
import { startLandfall } from "../../src/start.ts";
import { ownConfig } from "../config.ts";
import { adminEmail, type House, houseOf, type Person, password } from "../house.ts";
import { requests } from "./stages.ts";

/* Quotas as the tests set them, and what is held beside what the books say. */

export const path = "/api/quotas";
export const none = Object.fromEntries(dimensions.map((name) => [name, 0])) as Amounts;
/** A tenant without a user. */
export const newTenant = () => `tenant-${crypto.randomUUID()}`;

/** Sets a quota; its data. */
export async function setQuota(person: Person, tenantId: string, limits: object, type = "VM"): Promise<any> {
  const { status, body, data } = await person.call("PUT", `${path}/${tenantId}/${type}`, { limits });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return data;
}

/** What a tenant uses of a type, as it is answered. */
export async function usageOf(person: Person, tenantId: string, type = "VM"): Promise<any> {
  const { data } = await person.call("GET", `${path}/usage/${tenantId}`);
  return data.resources.find(({ resourceType }: any) => resourceType === type);
}

/** The body of a request for a VM. */
export const machine = (tenantId: string, more: object = {}, metadata: object = {}) => ({
  ...{ tenantId, orderId: "order-1", orderItemId: "item-1", resourceType: "VM", metadata },
  specification: { vcpu: 2, memoryMb: 1024, diskGb: 10, image: "debian-12", ...more },
});

/** A request on the simulated cluster; its driver does as it is told. */
export const driven = (tenantId: string, simulate: object = {}) =>
  machine(tenantId, {}, { simulate: { stepMs: 1, ...simulate } });
/** Of a region in which no cluster is: it is driven through the API. */
export const byApi = (tenantId: string) => machine(tenantId, { region: "moon" });
export const byHand = (tenantId: string) => ({
  ...machine(tenantId),
  resourceType: "MANUAL",
  specification: { vcpu: 9 },
});

export const fault = { code: "NO_CAPACITY", message: "The rack is full." };

/** Creates so many requests at once, each through one of the doors; their answers. */
export const createMany = (count: number, body: object, doors: Person["call"][]) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      (doors[i % doors.length] as Person["call"])("POST", requests, body),
    ),
  );

/** The same person, at another program. */
export const at =
  (other: House, { token }: Person): Person["call"] =>
  (method, path, body, headers) =>
    other.call(method, path, body, { Authorization: `Bearer ${token}`, ...headers });

const sums = dimensions
  .map((name) => `CAST(COALESCE(SUM(JSON_VALUE(reserved, '$.${name}')), 0) AS DOUBLE) AS ${name}`)
  .join(", ");

/**
 * Fails unless what the counters and the clusters say is used is the sum over the requests that hold something.
 * That is so at every moment: each of the two is read with its requests in one statement.
 */
export async function expectBooks(house: House): Promise<void> {
  const books = await house.rows(
    `SELECT CAST(holders.tenantId AS CHAR) AS owner, holders.resourceType AS type, used, ${sums}
       FROM provisioning_requests AS holders LEFT JOIN quota_counters USING (tenantId, resourceType)
      GROUP BY owner, type, used
     UNION ALL
     SELECT clusters.id, 'cluster', used, ${sums}
       FROM clusters LEFT JOIN provisioning_requests ON clusterId = clusters.id GROUP BY clusters.id, used`,
  );
  for (const { owner, type, used, ...sum } of books)
    expect([owner, type, sum]).toEqual([owner, type, expect.objectContaining(JSON.parse(used))]);
}

/** The work that was ordered for tenants' warnings, the oldest first; where no worker is, it stays. */
export const warningsOf = async (house: House, tenantId: string): Promise<any[]> =>
  (await house.rows("SELECT payload FROM jobs WHERE kind = 'provisioning.quota-warning' ORDER BY id"))
    .map(({ payload }) => (typeof payload === "string" ? JSON.parse(payload) : payload))
    .filter((payload) => payload.tenantId === tenantId);

/** A house in which nothing is done that is ordered for later. */
export async function openIdleHouse(): Promise<House> {
  const program = await startLandfall(ownConfig(), { roles: ["web"] });
  await seedAdmin(program.landfall, adminEmail, password);
  return houseOf(program);
}
