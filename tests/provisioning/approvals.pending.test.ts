import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { roles } from "../endpoint.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import { approvalOf, decide, path, waiting } from "./approvals.ts";
import { requests } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const wait = (terms?: object) => waiting({ house, customer, admin }, terms);
const pending = (query = "", person = admin) => person.call("GET", `${path}/pending${query}`);
const requestsIn = (data: any[]): string[] => data.map(({ provisioningRequestId }) => provisioningRequestId);

/** The ids of the requests that wait, page by page. */
async function walk(limit: number, sort = "", between = async () => {}): Promise<string[]> {
  const met: string[] = [];
  for (let cursor = ""; ; await between()) {
    const { data, body } = await pending(`?limit=${limit}${sort}${cursor}`);
    met.push(...requestsIn(data));
    if (!body.meta.has_more) return met;
    cursor = `&cursor=${body.meta.next_cursor}`;
  }
}

describe("GET /api/approvals/pending", () => {
  test("lists what waits, the oldest first, and forgets what is decided or deleted", async () => {
    const [one, two, three, four, five] = await Promise.all([wait(), wait(), wait(), wait(), wait()]);
    const made = [one, two, three, four, five].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const answer = await pending();
    expectEnvelope(answer, { list: true });
    expect(new Set(requestsIn(answer.data))).toEqual(new Set(made.map(({ id }) => id)));
    expect(answer.data.map(({ requestedAt }: any) => requestedAt)).toEqual(
      made.map(({ createdAt }) => createdAt),
    );
    for (const shown of answer.data)
      expect(shown).toEqual(await approvalOf(admin, shown.provisioningRequestId));
    await decide(admin, "approve", two.id);
    await decide(admin, "reject", three.id);
    await customer.call("DELETE", `${requests}/${four.id}`);
    const left = await pending();
    expect(new Set(requestsIn(left.data))).toEqual(new Set([one.id, five.id]));
    expect(left.body.meta.total).toBe(2);
    for (const { id } of [one, five]) await decide(admin, "reject", id);
    expect((await pending()).data).toEqual([]);
  });

  test("shows what some have approved, and others must still", async () => {
    const { id } = await wait({ minApprovals: 2 });
    await decide(admin, "approve", id);
    expect(requestsIn((await pending()).data)).toEqual([id]);
    await decide(await house.staff("OPS"), "approve", id);
    expect((await pending()).data).toEqual([]);
  });

  test("pages by cursor, offset and page, upwards and downwards, each once", async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push((await wait()).id);
    expect(await walk(3)).toEqual(made);
    expect(await walk(3, "&sort=-createdAt")).toEqual(made.toReversed());
    expect(requestsIn((await pending("?limit=3&offset=3")).data)).toEqual(made.slice(3, 6));
    expect(requestsIn((await pending("?limit=3&page=3")).data)).toEqual(made.slice(6));
    // What is decided on the way moves nothing that comes later out of sight.
    const queue = [...made];
    const met = await walk(2, "", async () => {
      await decide(admin, "approve", queue.shift() as string);
    });
    expect(met).toEqual(made);
    for (const id of queue) await decide(admin, "approve", id);
  });

  test("is for those who decide", async () => {
    const { id } = await wait();
    const service = await house.service(admin);
    for (const person of [admin, service, await house.staff("OPS"), await house.staff("FINANCE")])
      expect(requestsIn((await pending("", person)).data)).toEqual([id]);
    for (const person of [customer, await house.staff("SALES")])
      expectProblem(await pending("", person), "forbidden");
    await decide(admin, "reject", id);
  });

  test("takes no parameters but those of the paging", async () => {
    for (const query of ["tenantId=x", "status=PENDING", "sort=requestedAt", "limit=0"])
      expectInvalid(await pending(`?${query}`), `query/${query.split("=")[0]}`);
  });
});

describe("GET /api/approvals/request/{provisioningRequestId}", () => {
  const get = (id: string, person: Pick<Person, "call">) => person.call("GET", `${path}/request/${id}`);

  test("answers the tenant's users, all staff and services", async () => {
    const { id } = await wait();
    const staff = await Promise.all(roles.map((role) => house.staff(role)));
    const answers = await Promise.all(
      [customer, admin, await house.service(admin), ...staff].map((person) => get(id, person)),
    );
    for (const answer of answers) {
      expectEnvelope(answer);
      expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"1"']);
      expect(answer.data).toMatchObject({ provisioningRequestId: id, tenantId: customer.tenantId });
    }
  });

  test("answers a key of the tenant, when it may read provisioning", async () => {
    const { id } = await wait();
    for (const [scopes, status] of [
      [["provisioning:read"], 200],
      [["provisioning:write", "quotas:read"], 403],
    ] as const) {
      const { data } = await customer.call("POST", "/api/identity/api-keys", {
        name: "reader",
        kind: "tenant",
        scopes,
      });
      const headers = { "X-API-Key": data.key };
      const answer = await house.call("GET", `${path}/request/${id}`, undefined, headers);
      expect(answer.status).toBe(status);
      const decided = await house.call("POST", `${path}/${id}/approve`, { adminId: data.id }, headers);
      expectProblem(decided, "forbidden");
    }
  });

  test("tells another tenant nothing", async () => {
    const { id } = await wait();
    const stranger = await house.signUp();
    const unknown = await get(house.world.newId(), stranger);
    const answer = await get(id, stranger);
    expectProblem(answer, "not_found");
    expect(answer.body.detail).toBe(unknown.body.detail);
  });

  test("still answers after it was decided or deleted", async () => {
    const [one, other] = await Promise.all([wait(), wait()]);
    await decide(admin, "reject", one.id, { comment: "Too large." });
    expect((await get(one.id, customer)).data).toMatchObject({
      ...{ status: "REJECTED", decisions: [{ comment: "Too large." }], version: 2 },
    });
    await customer.call("DELETE", `${requests}/${other.id}`);
    const { updatedAt } = (await customer.call("GET", `${requests}/${other.id}`)).data;
    const { data } = await get(other.id, customer);
    expect(data).toMatchObject({ status: "EXPIRED", decisions: [], decidedAt: updatedAt, version: 2 });
  });

  test("does not know an id of any other shape", async () => {
    const { id } = await wait();
    for (const odd of [`${id}%20`, id.toUpperCase(), "日本", "%00", "x".repeat(500), house.world.newId()])
      expectProblem(await get(odd, admin), "not_found");
  });
});
