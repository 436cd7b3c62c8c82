import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openProviderHealth } from "../../src/provisioning/provider-health.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope } from "../http/answers.ts";
import { auditOf, never, nowhere, openSite, path, register, standIn } from "./clusters.ts";

let house: House;
let admin: Person;
/** How far the house's clock is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  house = await openHouse({ samples: false, now: () => new Date(Date.now() + aheadMs) });
  admin = await house.admin();
});
beforeEach(() => house.world.pool.query("DELETE FROM clusters"));
afterAll(() => house.close());

const health = async () => (await admin.call("GET", "/api/provisioning/providers/health")).data;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("GET /api/provisioning/providers/health", () => {
  test("is an empty list where there are no clusters", async () => {
    const answer = await admin.call("GET", "/api/provisioning/providers/health");
    expectEnvelope(answer, { list: true });
    expect(answer.data).toEqual([]);
  });

  test("tells of every registered cluster in one answer, the oldest first", async () => {
    using site = openSite();
    const made = [
      await register(admin, { name: "Zürich", type: "MANUAL" }),
      await register(admin, { name: "up", apiUrl: site.apiUrl, provisioningEnabled: false }),
      await register(admin, { name: "down", type: "POWERDNS", apiUrl: nowhere }),
      await register(admin, { name: "Aarau", type: "SIMULATED", isDefault: true }),
    ];
    const answer = await admin.call("GET", "/api/provisioning/providers/health");
    expectEnvelope(answer, { list: true });
    expect(answer.body.meta).toMatchObject({ total: 4, page: 1, has_more: false });
    const oks = [true, true, false, true];
    expect(answer.data).toEqual(
      made.map(({ id, name, type }, i) => ({
        ...{ clusterId: id, name, type, ok: oks[i] },
        ...{ latencyMs: expect.any(Number), detail: expect.stringMatching(/^[A-Z].*\.$/) },
        ...{ checkedAt: time, since: time },
      })),
    );
    for (const { since, checkedAt } of answer.data) expect(since <= checkedAt).toBe(true);
    const { data } = await admin.call("GET", `${path}?sort=createdAt`);
    const statuses = oks.map((ok) => (ok ? "HEALTHY" : "UNHEALTHY"));
    expect(data.map(({ status }: any) => status)).toEqual(statuses);
  });

  test("lists more than a page of clusters", async () => {
    await Promise.all(Array.from({ length: 120 }, () => register(admin, { type: "MANUAL" })));
    expect(await health()).toHaveLength(120);
  });

  test("asks each cluster once, however many want to know", async () => {
    using site = openSite();
    for (let i = 0; i < 5; i++) await register(admin, { apiUrl: `${site.apiUrl}${i}` });
    const answers = await Promise.all(Array.from({ length: 30 }, health));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(site.requests.map(({ url }) => url.at(-1)).sort()).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("tells a result again for 15 seconds", async () => {
    using site = openSite();
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const [first] = await health();
    aheadMs += 10_000;
    expect(await health()).toEqual([first]);
    aheadMs += 5001;
    const [later] = await health();
    expect(later).toMatchObject({ clusterId: id, ok: true, since: first.since });
    expect(later.checkedAt > first.checkedAt).toBe(true);
    expect(site.requests).toHaveLength(2);
  });

  test("does not wait for the next round with what is new, changed or gone", async () => {
    using site = openSite();
    const [kept, changed, gone] = [
      await register(admin, { apiUrl: `${site.apiUrl}kept` }),
      await register(admin, { apiUrl: `${site.apiUrl}old` }),
      await register(admin, { apiUrl: `${site.apiUrl}gone` }),
    ];
    const first = await health();
    await admin.call("PATCH", `${path}/${changed.id}`, { apiUrl: nowhere, name: "Moved" });
    await admin.call("DELETE", `${path}/${gone.id}`);
    const added = await register(admin, { apiUrl: `${site.apiUrl}new` });
    const second = await health();
    expect(second.map(({ clusterId }: any) => clusterId)).toEqual([kept.id, changed.id, added.id]);
    expect(second[0]).toEqual(first[0]);
    expect(second[1]).toMatchObject({ name: "Moved", ok: false, detail: "The connection was refused." });
    expect(site.requests.map(({ url }) => url.slice(site.apiUrl.length)).sort()).toEqual([
      ...["gone", "kept", "new", "old"],
    ]);
  });

  test("tells since when it is so, and leaves the record's version", async () => {
    using _ = standIn("VMWARE", async () => [{ name: "test", ok: up, detail: "It was tried." }]);
    let up = true;
    const made = await register(admin, { type: "VMWARE" });
    const ask = async (ok: boolean) => {
      up = ok;
      aheadMs += 60_000;
      const [entry] = await health();
      expect([entry.ok, entry.since <= entry.checkedAt]).toEqual([ok, true]);
      return entry.since as string;
    };
    const [first, second] = [await ask(true), await ask(true)];
    const [third, fourth] = [await ask(false), await ask(false)];
    const fifth = await ask(true);
    expect([second, fourth]).toEqual([first, third]);
    expect(first < third && third < fifth).toBe(true);
    const { data } = await admin.call("GET", `${path}/${made.id}`);
    expect(data).toEqual({ ...made, status: "HEALTHY" });
    expect(await auditOf(house, made.id)).toEqual(["create"]);
  });

  test("follows what a test of the connection has found since", async () => {
    const site = openSite();
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    expect((await health())[0].ok).toBe(true);
    site.close();
    aheadMs += 1000;
    expect((await health())[0].ok).toBe(true);
    await admin.call("POST", `${path}/${id}/test-connection`);
    aheadMs += 1000;
    expect((await health())[0].ok).toBe(false);
  });
});

describe("a round of probes", () => {
  const rounds = (limitMs?: number) => openProviderHealth(house.program.landfall, limitMs);

  test("asks all at the same time, and waits no longer than the limit for those that hang", async () => {
    using quick = openSite();
    const asked = Promise.withResolvers<void>();
    // Each of them is asked before any of them has ended.
    using hanging = openSite(() => {
      if (hanging.requests.length === 10) asked.resolve();
      return never();
    });
    const urls = Array.from({ length: 50 }, (_, i) => (i % 5 === 0 ? hanging : quick).apiUrl);
    for (const apiUrl of urls) await register(admin, { apiUrl });
    const entries = await rounds(500)();
    await asked.promise;
    expect(entries.map(({ ok }) => ok)).toEqual(urls.map((url) => url === quick.apiUrl));
    const hung = entries.filter(({ ok }) => !ok);
    expect(new Set(hung.map(({ detail }) => detail))).toEqual(
      new Set(["The infrastructure did not answer in time."]),
    );
    expect([hung.length, quick.requests.length, hanging.requests.length]).toEqual([10, 40, 10]);
  });

  test("is joined by whoever asks while it is under way", async () => {
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    using site = openSite(() => {
      asked.resolve();
      return answer.promise.then(() => new Response(""));
    });
    await register(admin, { apiUrl: site.apiUrl });
    const ask = rounds();
    const first = ask();
    await asked.promise;
    const others = [ask(), ask(), ask()];
    aheadMs += 60_000;
    const late = ask();
    answer.resolve();
    const answers = await Promise.all([first, ...others, late]);
    for (const entries of answers) expect(entries).toEqual(answers[0] as typeof entries);
    expect(site.requests).toHaveLength(1);
  });

  test("does not mind that a cluster is removed, drained or changed meanwhile", async () => {
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    using site = openSite(() => {
      if (site.requests.length === 3) asked.resolve();
      return answer.promise.then(() => new Response(""));
    });
    const { apiUrl } = site;
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await register(admin, { apiUrl })).id);
    const [removed, drained, moved] = ids as [string, string, string];
    const ask = rounds();
    const under = ask();
    await asked.promise;
    await admin.call("DELETE", `${path}/${removed}`);
    await admin.call("PATCH", `${path}/${drained}`, { provisioningEnabled: false });
    await admin.call("PATCH", `${path}/${moved}`, { apiUrl: nowhere });
    answer.resolve();
    const entries = await under;
    expect(entries.map(({ clusterId, ok }) => [clusterId, ok])).toEqual(ids.map((id) => [id, true]));
    const statusOf = async (id: string) => (await admin.call("GET", `${path}/${id}`)).data.status;
    expect([await statusOf(drained), await statusOf(moved)]).toEqual(["UNKNOWN", "UNKNOWN"]);
    const next = await ask();
    expect(next.map(({ clusterId, ok }) => [clusterId, ok])).toEqual([
      [drained, true],
      [moved, false],
    ]);
  });

  test("that could not be noted is forgotten", async () => {
    using site = openSite();
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const { landfall } = house.program;
    let away = true;
    const send: typeof landfall.mailbox.send = (command, order) =>
      away ? Promise.reject(new Error("away")) : landfall.mailbox.send(command, order);
    const ask = openProviderHealth({ ...landfall, mailbox: { ...landfall.mailbox, send } });
    await expect(ask()).rejects.toThrow("away");
    away = false;
    expect(await ask()).toMatchObject([{ clusterId: id, ok: true }]);
    expect((await admin.call("GET", `${path}/${id}`)).data.status).toBe("HEALTHY");
  });
});
