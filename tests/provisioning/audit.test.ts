import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { backup, bring, requests } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
const trailOf = (id: string, query = "") => customer.call("GET", `${requests}/${id}/audit${query}`);

describe("GET /provisioning/requests/{id}/audit", () => {
  test("tells of each change once, the oldest first, creation included", async () => {
    const { id, createdAt } = await bring(cast(), backup(customer.tenantId), "start", "advance");
    const { data } = await trailOf(id);
    const common = { id: expect.any(String), detail: null, correlationId: expect.any(String) };
    const actor = { id: admin.id, kind: "user" };
    const entry = (version: number, more: object) => ({
      ...{ ...common, at: expect.any(String), actor, requestId: data[version - 1].correlationId, version },
      ...more,
    });
    expect(data).toEqual([
      entry(1, {
        ...{ at: createdAt, actor: { id: customer.id, kind: "user" } },
        ...{ command: "create", from: null, to: "PENDING", step: null },
      }),
      entry(2, { command: "start", from: "PENDING", to: "PROVISIONING", step: null }),
      entry(3, { command: "advance", from: "PROVISIONING", to: "PROVISIONING", step: "ALLOCATE" }),
    ]);
    expect(Object.keys(data[0])).toEqual([
      ...["id", "at", "actor", "command", "from", "to", "step", "detail"],
      ...["requestId", "correlationId", "version"],
    ]);
  });

  test("names services as such, and what the worker does as the system's", async () => {
    const service = await house.service(admin);
    const body = vm(customer.tenantId, { simulate: { failAt: "CONFIGURE", stepMs: 1 } });
    const { data } = await service.call("POST", requests, body);
    await service.call("POST", `${requests}/${data.id}/start`);
    await house.until(customer, data.id, "FAILED");
    await customer.call("DELETE", `${requests}/${data.id}`);
    await house.until(customer, data.id, "DEPROVISIONED");
    const { data: trail } = await trailOf(data.id);
    const told = trail.map(({ actor, command, step }: any) => [actor.kind, actor.id, command, step]);
    expect(told).toEqual([
      ["service", service.id, "create", null],
      ["service", service.id, "start", null],
      ["system", "provisioning", "advance", "ALLOCATE"],
      ["system", "provisioning", "fail", "CONFIGURE"],
      ["system", "provisioning", "rolled-back", null],
      ["user", customer.id, "delete", null],
      ["system", "provisioning", "deprovisioned", null],
    ]);
    const error = { code: "SIMULATED_FAILURE", message: expect.any(String) };
    expect(trail.map(({ detail }: any) => detail)).toEqual([null, null, null, { error }, null, null, null]);
  });

  test("pages, upwards and downwards", async () => {
    const toggles = Array.from({ length: 10 }, () => ["suspend", "reactivate"]).flat();
    const advances = Array<string>(4).fill("advance");
    const { id, version } = await bring(cast(), backup(customer.tenantId), "start", ...advances, ...toggles);
    const versions = Array.from({ length: version }, (_, i) => i + 1);
    for (const [sort, expected] of [
      ["version", versions],
      ["-version", versions.toReversed()],
    ] as const) {
      const met: number[] = [];
      for (let cursor = ""; ; ) {
        const { data, body } = await trailOf(id, `?limit=7&sort=${sort}${cursor}`);
        met.push(...data.map((entry: any) => entry.version));
        if (!body.meta.has_more) break;
        cursor = `&cursor=${body.meta.next_cursor}`;
      }
      expect(met).toEqual(expected);
    }
  });
});
