import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { topics } from "../../streams/topics.ts";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { activated, backup, begun, bring, requests, stepStatuses } from "./stages.ts";

/* Two programs on one database and one bus, as in production. */
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

const provisioningTopics = Object.keys(topics).filter((topic) => topic.startsWith("provisioning."));

interface Published {
  seq: number;
  name: string;
  envelope: any;
}

/** What was published about these records, in the order of the bus; waits until there are `count`. */
async function published(ids: string[], count: number): Promise<Published[]> {
  const redis = house.world.connectRedis();
  const after = new Map(provisioningTopics.map((topic) => [`${house.world.platform}.${topic}.v1`, "0"]));
  const found: Published[] = [];
  const known = new Set(ids);
  try {
    while (found.length < count) {
      const read = await redis.xread("BLOCK", 10_000, "STREAMS", ...after.keys(), ...after.values());
      if (!read) throw new Error(`${count} events did not come; there are ${found.length}.`);
      for (const [stream, entries] of read) {
        for (const [id, fields] of entries) {
          after.set(stream, id);
          const envelope = JSON.parse(fields[1] ?? "null");
          const name = stream.split(".").at(-2) as string;
          if (known.has(envelope.subject)) found.push({ seq: Number.parseInt(id, 10), name, envelope });
        }
      }
    }
  } finally {
    redis.disconnect();
  }
  return found.sort((a, b) => a.seq - b.seq);
}

/** The same person, at the other program. */
const at =
  (other: House, person: Person): Person["call"] =>
  (method, path, body, headers) =>
    other.call(method, path, body, { Authorization: `Bearer ${person.token}`, ...headers });

/** Fails unless each of these requests went through its four steps once, in its answer, its audit and its events. */
async function expectDoneOnce(ids: string[]) {
  const story = [...begun, ...activated];
  const events = await published(ids, ids.length * story.length);
  expect(new Set(events.map(({ envelope }) => envelope.eventId)).size).toBe(events.length);
  const commands = ["create", "start", "advance", "advance", "advance", "advance"];
  for (const id of ids) {
    const { data } = await customer.call("GET", `${requests}/${id}`);
    expect([data.status, data.version, stepStatuses(data)]).toEqual([
      "ACTIVE",
      6,
      Array(4).fill("COMPLETED"),
    ]);
    const { data: trail } = await customer.call("GET", `${requests}/${id}/audit`);
    expect(trail.map(({ command }: any) => command)).toEqual(commands);
    expect(trail.map(({ version }: any) => version)).toEqual([1, 2, 3, 4, 5, 6]);
    const own = events.filter(({ envelope }) => envelope.subject === id);
    expect(own.map(({ name }) => name)).toEqual(story);
    expect(own.map(({ envelope }) => envelope.sequence)).toEqual([1, 2, 3, 4, 5, 6, 6, 6]);
  }
  const stored = await house.rows(
    "SELECT JSON_VALUE(envelope, '$.subject') AS subject, COUNT(*) AS total FROM outbox_events GROUP BY subject",
  );
  for (const { subject, total } of stored)
    if (ids.includes(subject)) expect([subject, total]).toEqual([subject, story.length]);
}

describe("200 requests", () => {
  test("created and started at once, through two programs, are all carried out, each once", async () => {
    const made = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const door = i % 2 ? house : second;
        const { data } = await at(door, customer)("POST", requests, vm(customer.tenantId));
        const started = await at(door, admin)("POST", `${requests}/${data.id}/start`);
        expect([started.status, started.data.currentStep]).toEqual([200, "ALLOCATE"]);
        return data.id as string;
      }),
    );
    expect(new Set(made).size).toBe(200);
    await expectDoneOnce(made);
  });
});

describe("64 advances at once on one request", () => {
  for (const doors of ["one program", "two programs"])
    test(`take four steps, and no more, through ${doors}`, async () => {
      const { id, version } = await bring({ house, customer, admin }, backup(customer.tenantId), "start");
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => {
          const door = doors === "two programs" && i % 2 ? second : house;
          return at(door, admin)("POST", `${requests}/${id}/advance`, { output: { by: i } });
        }),
      );
      const taken = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(
        ({ status, body }) => status === 409 && body.code === "invalid_transition",
      );
      expect([taken.length, refused.length]).toEqual([4, 60]);
      const versions = taken.map(({ data }) => data.version).sort();
      expect(versions).toEqual([1, 2, 3, 4].map((more) => version + more));
      const { data } = await customer.call("GET", `${requests}/${id}`);
      expect([data.status, data.version]).toEqual(["ACTIVE", version + 4]);
      // Each step holds what was given to the advance that completed it.
      const given = taken
        .sort((a, b) => a.data.version - b.data.version)
        .map((answer) => answers.indexOf(answer));
      expect(data.steps.map(({ output }: any) => output.by)).toEqual(given);
      await expectDoneOnce([id]);
    });

  test("race the driver without taking a step twice", async () => {
    const body = vm(customer.tenantId, { simulate: { stepMs: 2 } });
    const { id } = await bring({ house, customer, admin }, body, "start");
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        at(i % 2 ? second : house, admin)("POST", `${requests}/${id}/advance`),
      ),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await expectDoneOnce([id]);
  });
});

describe("mixed commands at once on one request", () => {
  test("leave a state that its audit explains", async () => {
    const { id } = await bring({ house, customer, admin }, backup(customer.tenantId), "start");
    const commands = ["advance", "fail", "suspend", "reactivate", "retry", "start", "manual-complete"];
    const fault = { code: "STOP", message: "Stop." };
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, i) => {
        const command = commands[i % commands.length] as string;
        const door = i % 2 ? second : house;
        return at(door, admin)(
          "POST",
          `${requests}/${id}/${command}`,
          command === "fail" ? fault : undefined,
        );
      }),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const { data } = await customer.call("GET", `${requests}/${id}`);
    const { data: trail } = await customer.call("GET", `${requests}/${id}/audit?limit=100`);
    expect(trail.map(({ version }: any) => version)).toEqual(trail.map((_: unknown, i: number) => i + 1));
    expect(trail.length).toBe(2 + answers.filter(({ status }) => status === 200).length);
    for (const [i, entry] of trail.entries()) expect(entry.from).toBe(trail[i - 1]?.to ?? null);
    expect([data.status, data.version]).toEqual([trail.at(-1).to, trail.length]);
  });
});
