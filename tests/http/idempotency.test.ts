import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { backup, requests, stages } from "../provisioning/stages.ts";
import { expectInvalid, expectProblem } from "./answers.ts";

let house: House;
let second: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  second = await openHouse({ config: house.program.landfall.config });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const keyed = (key: string = crypto.randomUUID()) => ({ "Idempotency-Key": key });
const create = (person: Person, headers: Record<string, string>, more: object = {}, path = requests) =>
  person.call("POST", path, { ...backup(person.tenantId), ...more }, headers);
const replayed = ({ headers }: { headers: Headers }) => headers.get("idempotency-replayed");
const countOf = async (person: Person) => (await person.call("GET", requests)).body.meta.total;

describe("an Idempotency-Key", () => {
  test("makes one record of the same request sent twice", async () => {
    const headers = keyed();
    const [first, again] = [await create(customer, headers), await create(customer, headers)];
    expect([first.status, replayed(first)]).toEqual([201, null]);
    expect([again.status, replayed(again), again.data]).toEqual([201, "true", first.data]);
    for (const name of ["location", "etag", "content-type"])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.body.meta.request_id).not.toBe(first.body.meta.request_id);
  });

  test("is the same under /api/v1, and whatever the blanks in the body", async () => {
    const headers = keyed();
    const first = await create(customer, headers);
    const path = requests.replace("/api/", "/api/v1/");
    expect((await create(customer, headers, {}, path)).data).toEqual(first.data);
    expect((await create(customer, headers, {}, `${requests}/`)).data).toEqual(first.data);
    const spaced = JSON.stringify(backup(customer.tenantId), null, 4);
    expect((await customer.call("POST", requests, spaced, headers)).data).toEqual(first.data);
  });

  test("answers as it was then, not as the record is now", async () => {
    const headers = keyed();
    const { data } = await create(customer, headers);
    await admin.call("POST", `${requests}/${data.id}/start`);
    const again = await create(customer, headers);
    expect([again.data.status, again.headers.get("etag")]).toEqual(["PENDING", '"1"']);
  });

  test("is refused with another body", async () => {
    const headers = keyed();
    await create(customer, headers);
    const other = await create(customer, headers, { orderItemId: "item-2" });
    expectProblem(other, "idempotency_mismatch");
    expect(other.status).toBe(422);
  });

  test("belongs to its caller and its path", async () => {
    const headers = keyed();
    const { data } = await create(customer, headers);
    const other = await house.signUp();
    expect((await create(other, headers)).data.id).not.toBe(data.id);
    const byAdmin = await admin.call("POST", requests, backup(customer.tenantId), headers);
    expect([replayed(byAdmin), byAdmin.status]).toEqual([null, 201]);
    const started = await admin.call("POST", `${requests}/${data.id}/start`, undefined, headers);
    expect([replayed(started), started.data.status]).toEqual([null, "PROVISIONING"]);
  });

  test("makes a command count once", async () => {
    const { id } = await stages.PROVISIONING({ house, customer, admin });
    const headers = keyed();
    const send = () => admin.call("POST", `${requests}/${id}/advance`, { output: { n: 1 } }, headers);
    const [first, again] = [await send(), await send()];
    expect([again.data, replayed(again)]).toEqual([first.data, "true"]);
    expect((await customer.call("GET", `${requests}/${id}`)).data.currentStep).toBe("CONFIGURE");
    const next = await admin.call("POST", `${requests}/${id}/advance`, { output: { n: 1 } }, keyed());
    expect(next.data.currentStep).toBe("ACTIVATE");
  });

  test("does not store a refusal", async () => {
    const { id } = await stages.PENDING({ house, customer, admin });
    const headers = keyed();
    const advance = () => admin.call("POST", `${requests}/${id}/advance`, undefined, headers);
    const tenant = { ...headers, "If-Match": '"9"' };
    expect((await admin.call("POST", `${requests}/${id}/start`, undefined, tenant)).status).toBe(412);
    expect((await advance()).status).toBe(409);
    await admin.call("POST", `${requests}/${id}/start`);
    const done = await advance();
    expect([done.status, replayed(done)]).toEqual([200, null]);
    const wrong = await create(customer, headers, { orderId: "" });
    expect(wrong.status).toBe(422);
    expect(replayed(await create(customer, headers))).toBeNull();
  });

  test("replays also what would be refused by now", async () => {
    const { id } = await stages.PENDING({ house, customer, admin });
    const headers = { ...keyed(), "If-Match": '"1"' };
    const start = () => admin.call("POST", `${requests}/${id}/start`, undefined, headers);
    const [first, again] = [await start(), await start()];
    expect([again.status, again.data]).toEqual([200, first.data]);
  });

  test("is known to be at work until it is answered", async () => {
    const { id } = await stages.PENDING({ house, customer, admin });
    const headers = keyed();
    const advance = (code: string) =>
      admin.call("POST", `${requests}/${id}/fail`, { code, message: "No." }, headers);
    await admin.call("POST", `${requests}/${id}/start`);
    const holder = await house.world.pool.getConnection();
    await holder.beginTransaction();
    await holder.query("SELECT id FROM provisioning_requests WHERE id = ? FOR UPDATE", [id]);
    const both = [advance("ONE"), advance("ONE")];
    const refused = await Promise.race(both);
    expectProblem(refused, "idempotency_in_progress");
    expect(refused.headers.get("retry-after")).toBe("1");
    expectProblem(await advance("TWO"), "idempotency_mismatch");
    await holder.rollback();
    holder.release();
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    const again = await advance("ONE");
    expect([again.status, replayed(again)]).toEqual([200, "true"]);
  });

  test("makes one of twenty at once", async () => {
    const person = await house.signUp();
    const headers = keyed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(person, headers)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "idempotency_in_progress");
    expect(await countOf(person)).toBe(1);
  });

  test("makes one of twenty at once over two programs", async () => {
    const person = await house.signUp();
    const headers = { ...keyed(), Authorization: `Bearer ${person.token}` };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? house : second).call("POST", requests, backup(person.tenantId), headers),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    // Neither program knows what the other is at work on: there the second waits, and repeats the answer.
    expect(made.length).toBeGreaterThanOrEqual(2);
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
    expect(await countOf(person)).toBe(1);
  });

  test("lets one of several bodies through, at once", async () => {
    const person = await house.signUp();
    const headers = keyed();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => create(person, headers, { orderItemId: `item-${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
    expect(await countOf(person)).toBe(1);
  });

  test("has 1 to 255 characters", async () => {
    for (const key of ["", "x".repeat(256)])
      expectInvalid(await create(customer, keyed(key)), "header/Idempotency-Key");
    for (const key of ["x", "x".repeat(255)]) expect((await create(customer, keyed(key))).status).toBe(201);
  });

  test("does nothing to a DELETE", async () => {
    const { id } = await stages.PENDING({ house, customer, admin });
    const headers = keyed();
    expect((await customer.call("DELETE", `${requests}/${id}`, undefined, headers)).status).toBe(200);
    expect((await customer.call("DELETE", `${requests}/${id}`, undefined, headers)).status).toBe(409);
  });
});
