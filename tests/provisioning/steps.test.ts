import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { backup, bring, eventsAbout, requests, stages, stepStatuses, steps, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
const advance = (id: string, output?: object) =>
  admin.call("POST", `${requests}/${id}/advance`, output && { output });
const fault = { code: "NO_CAPACITY", message: "The rack is full." };

describe("POST /provisioning/requests", () => {
  test("answers a request that waits, with its four steps", async () => {
    const body = { ...backup(customer.tenantId), metadata: { colour: "blue", deep: { list: [1, null] } } };
    const answer = await customer.call("POST", requests, body);
    const step = {
      status: "PENDING",
      attempt: 1,
      startedAt: null,
      finishedAt: null,
      output: null,
      error: null,
    };
    expect(answer.data).toEqual({
      ...body,
      ...{ id: expect.any(String), status: "PENDING", currentStep: null, retryCount: 0, maxRetries: 3 },
      steps: steps.map((name) => ({ step: name, ...step })),
      ...{ clusterId: null, access: null, error: null, createdBy: customer.id, version: 1 },
      createdAt: answer.data.updatedAt,
      updatedAt: expect.any(String),
    });
    expect((await customer.call("GET", answer.headers.get("location") ?? "")).data).toEqual(answer.data);
  });

  test("places a request on a cluster that takes its type, in its region", async () => {
    const body = { ...backup(customer.tenantId), resourceType: "VOLUME" };
    const inRegion = async (region?: string) => {
      const specification = { sizeGb: 10, ...(region ? { region } : {}) };
      return (await customer.call("POST", requests, { ...body, specification })).data.clusterId;
    };
    const [cluster] = await house.rows("SELECT id FROM clusters");
    expect([await inRegion(), await inRegion("local"), await inRegion("moon")]).toEqual([
      cluster.id,
      cluster.id,
      null,
    ]);
  });

  test("keeps texts as they were sent, to the last character", async () => {
    const odd = {
      orderId: " İß\u0000 ",
      orderItemId: "💾".repeat(32),
      metadata: { "a'\"\\`;--": "\u2028💾" },
    };
    const { data } = await customer.call("POST", requests, { ...backup(customer.tenantId), ...odd });
    expect((await customer.call("GET", `${requests}/${data.id}`)).data).toMatchObject(odd);
    const listed = await customer.call("GET", `${requests}/order/${encodeURIComponent(odd.orderId)}`);
    expect(listed.data.map(({ id }: any) => id)).toEqual([data.id]);
  });
});

describe("POST /provisioning/requests/{id}/advance", () => {
  test("completes one step after the other", async () => {
    let request = await bring(cast(), backup(customer.tenantId), "start");
    expect(stepStatuses(request)).toEqual(["RUNNING", "PENDING", "PENDING", "PENDING"]);
    for (const [i, step] of steps.entries()) {
      expect(request.currentStep).toBe(step);
      request = (await advance(request.id)).data;
      const expected = steps.map((_, at) => (at <= i ? "COMPLETED" : at === i + 1 ? "RUNNING" : "PENDING"));
      expect(stepStatuses(request)).toEqual(expected);
    }
    expect([request.status, request.currentStep]).toEqual(["ACTIVE", null]);
    for (const { startedAt, finishedAt, output, error } of request.steps) {
      expect(finishedAt >= startedAt).toBe(true);
      expect([output, error]).toEqual([null, null]);
    }
    const story = [
      "requested",
      "started",
      ...steps.map(() => "step-completed"),
      "service-activated",
      "completed",
    ];
    const events = await eventsAbout(house, request.id);
    expect(events.map(({ name }) => name)).toEqual(story);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 6, 6]);
    expect(events.map(({ data }) => data.step).filter(Boolean)).toEqual([...steps]);
  });

  test("keeps the output with the step that it completes", async () => {
    const { id } = await bring(cast(), backup(customer.tenantId), "start");
    await advance(id, { instanceId: "i-1", deep: { list: [1, "two"] } });
    const { data } = await advance(id, {});
    expect(data.steps.map(({ output }: any) => output)).toEqual([
      { instanceId: "i-1", deep: { list: [1, "two"] } },
      {},
      null,
      null,
    ]);
  });

  test("makes the access of what outputs say of it, the latest last", async () => {
    const { id } = await bring(cast(), backup(customer.tenantId), "start");
    await advance(id, {
      ipAddress: "192.0.2.7",
      hostname: "a.example",
      endpoints: { ssh: "ssh://a" },
      colour: "blue",
    });
    await advance(id, {
      hostname: "b.example",
      endpoints: { web: "https://b" },
      notes: "Mind the gap.",
      ipAddress: 5,
    });
    expect((await customer.call("GET", `${requests}/${id}`)).data.access).toEqual({
      ipAddress: "192.0.2.7",
      hostname: "b.example",
      endpoints: { ssh: "ssh://a", web: "https://b" },
      credentials: null,
      notes: "Mind the gap.",
    });
  });
});

describe("POST /provisioning/requests/{id}/fail", () => {
  test("fails the running step, and says why", async () => {
    const { id } = await bring(cast(), backup(customer.tenantId), "start", "advance");
    const { data } = await admin.call("POST", `${requests}/${id}/fail`, fault);
    expect([data.status, data.currentStep, data.error]).toEqual(["FAILED", null, fault]);
    expect(stepStatuses(data)).toEqual(["COMPLETED", "FAILED", "PENDING", "PENDING"]);
    expect(data.steps[1].error).toEqual(fault);
    const event = (await eventsAbout(house, id)).at(-1);
    expect(event.data).toMatchObject({ status: "FAILED", step: "CONFIGURE", error: fault });
  });
});

describe("POST /provisioning/requests/{id}/retry", () => {
  test("starts all four steps anew, three times at most", async () => {
    let request = await stages.FAILED(cast());
    for (const retryCount of [1, 2, 3]) {
      request = (await admin.call("POST", `${requests}/${request.id}/retry`)).data;
      expect(request).toMatchObject({
        status: "PROVISIONING",
        currentStep: "ALLOCATE",
        retryCount,
        error: null,
      });
      expect(stepStatuses(request)).toEqual(["RUNNING", "PENDING", "PENDING", "PENDING"]);
      for (const { attempt, error, output } of request.steps)
        expect([attempt, error, output]).toEqual([retryCount + 1, null, null]);
      request = (await admin.call("POST", `${requests}/${request.id}/fail`, fault)).data;
    }
    expectProblem(await admin.call("POST", `${requests}/${request.id}/retry`), "retry_limit");
    expect((await customer.call("GET", `${requests}/${request.id}`)).data).toEqual(request);
  });

  test("keeps the specification that was stored", async () => {
    const { id, specification } = await stages.FAILED(cast());
    const { data } = await admin.call("POST", `${requests}/${id}/retry`);
    expect(data.specification).toEqual(specification);
  });
});

describe("DELETE /provisioning/requests/{id}", () => {
  test("removes a service for good", async () => {
    const { id } = await stages.ACTIVE(cast());
    const first = await customer.call("DELETE", `${requests}/${id}`);
    expect([first.status, first.data.status]).toEqual([202, "DEPROVISIONED"]);
    const second = await customer.call("DELETE", `${requests}/${id}`);
    expectProblem(second, "invalid_transition", { from: "DEPROVISIONED", command: "delete", allowed: [] });
    expect((await storyOf(house, id)).filter((name) => name === "deprovisioned")).toHaveLength(1);
    expect((await customer.call("GET", `${requests}/${id}`)).data).toEqual(first.data);
  });
});
