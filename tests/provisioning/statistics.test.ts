import { expect, test } from "bun:test";
import { requestStatuses } from "../../schema/provisioning/request.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { openHouse, type Person, vm } from "../house.ts";
import { backup, requests, stages } from "./stages.ts";

const stats = async (person: Person) => (await person.call("GET", "/api/provisioning/stats")).data;

/** What is expected: zeros but for these. */
const counts = (
  total: number,
  byStatus: Partial<Record<(typeof requestStatuses)[number], number>>,
  byResourceType: Partial<Record<(typeof resourceTypes)[number], number>>,
) => ({
  total,
  byStatus: { ...Object.fromEntries(requestStatuses.map((name) => [name, 0])), ...byStatus },
  byResourceType: { ...Object.fromEntries(resourceTypes.map((name) => [name, 0])), ...byResourceType },
});

test("GET /provisioning/stats counts the own tenant's requests; all of them for staff and services", async () => {
  await using house = await openHouse({ samples: false });
  const [admin, customer, other] = await Promise.all([house.admin(), house.signUp(), house.signUp()]);
  const cast = { house, customer, admin };
  const everyone = [admin, customer, await house.staff("SECURITY"), await house.service(admin)];
  for (const person of everyone) expect(await stats(person)).toEqual(counts(0, {}, {}));

  for (const stage of Object.values(stages)) await stage(cast);
  await stages.ACTIVE(cast);
  await customer.call("POST", requests, vm(customer.tenantId));
  await stages.SUSPENDED({ ...cast, customer: other });
  const each = Object.fromEntries(requestStatuses.map((name) => [name, 1]));
  const own = counts(14, { ...each, ACTIVE: 2, PENDING: 2 }, { BACKUP: 12, MANUAL: 1, VM: 1 });
  expect(await stats(customer)).toEqual(own);
  expect(await stats(other)).toEqual(counts(1, { SUSPENDED: 1 }, { BACKUP: 1 }));
  const all = counts(15, { ...own.byStatus, SUSPENDED: 2 }, { ...own.byResourceType, BACKUP: 13 });
  for (const person of everyone.filter((each) => each !== customer)) expect(await stats(person)).toEqual(all);
});

test("GET /provisioning/stats adds up while requests come and move on", async () => {
  await using house = await openHouse({ samples: false });
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  let busy = true;
  const work = Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      while (busy) {
        const body = i % 2 ? vm(customer.tenantId) : backup(customer.tenantId);
        const { data } = await customer.call("POST", requests, body);
        await admin.call("POST", `${requests}/${data.id}/start`);
      }
    }),
  );
  const sum = (numbers: object) => Object.values(numbers).reduce((all, each) => all + each, 0);
  const totals: number[] = [];
  for (let i = 0; i < 100; i++) {
    const { total, byStatus, byResourceType } = await stats(i % 2 ? admin : customer);
    expect([sum(byStatus), sum(byResourceType)]).toEqual([total, total]);
    totals.push(total);
  }
  busy = false;
  await work;
  expect(totals).toEqual(totals.toSorted((a, b) => a - b));
  expect(totals[99]).toBeGreaterThan(totals[0]!);
});
