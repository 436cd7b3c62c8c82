import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { eventsAbout, requests, type Stage, stages, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

interface Move {
  to: string;
  events: string[];
  status?: number;
  /** Nothing is written, since it is so already. */
  nothing?: true;
}

const commands = [
  ...["start", "advance", "fail", "manual-complete", "retry", "suspend", "reactivate", "delete"],
] as const;
const bodies: Record<string, object> = { fail: { code: "NO_CAPACITY", message: "The rack is full." } };

const removed: Move = { to: "DEPROVISIONED", events: ["deprovisioned"], status: 202 };
const failed: Move = { to: "FAILED", events: ["failed"] };
const started: Move = { to: "PROVISIONING", events: ["started"] };

/** What each status accepts, where no driver is; every other pair is refused. */
const transitions: Record<string, Record<string, Move>> = {
  PENDING_APPROVAL: { delete: { ...removed, status: 200 } },
  PENDING: { start: started, delete: { ...removed, status: 200 } },
  REJECTED: { delete: { ...removed, status: 200 } },
  PROVISIONING: {
    advance: { to: "PROVISIONING", events: ["step-completed"] },
    fail: failed,
    delete: removed,
  },
  AWAITING_MANUAL: {
    fail: failed,
    "manual-complete": { to: "ACTIVE", events: ["service-activated", "completed"] },
    delete: removed,
  },
  ROLLING_BACK: {},
  ROLLBACK_FAILED: { retry: started, delete: removed },
  FAILED: { retry: started, delete: removed },
  ACTIVE: { suspend: { to: "SUSPENDED", events: ["suspended"] }, delete: removed },
  SUSPENDED: { reactivate: { to: "ACTIVE", events: ["reactivated"] }, delete: removed },
  DEPROVISIONING: { delete: { to: "DEPROVISIONING", events: [], status: 202, nothing: true } },
  DEPROVISIONED: {},
};

const read = async (id: string) => (await customer.call("GET", `${requests}/${id}`)).data;
const audit = async (id: string) => (await customer.call("GET", `${requests}/${id}/audit`)).data as any[];

for (const [status, moves] of Object.entries(transitions)) {
  describe(`a request that is ${status}`, () => {
    for (const command of commands) {
      const move = moves[command];
      test(move ? `becomes ${move.to} by ${command}` : `refuses ${command}`, async () => {
        const before = await stages[status as Stage]({ house, customer, admin });
        expect(before.status).toBe(status);
        const [story, trail] = [await storyOf(house, before.id), await audit(before.id)];
        const path = `${requests}/${before.id}`;
        const answer =
          command === "delete"
            ? await admin.call("DELETE", path)
            : await admin.call("POST", `${path}/${command}`, bodies[command]);
        const after = await read(before.id);
        const entries = (await audit(before.id)).slice(trail.length);
        const events = (await storyOf(house, before.id)).slice(story.length);
        if (move && !move.nothing) {
          expect([answer.status, answer.data]).toEqual([move.status ?? 200, after]);
          expect([after.status, after.version, events]).toEqual([move.to, before.version + 1, move.events]);
          expect(entries).toEqual([
            {
              id: expect.any(String),
              at: after.updatedAt,
              actor: { id: admin.id, kind: "user" },
              command,
              from: status,
              to: move.to,
              step: before.currentStep && ["advance", "fail"].includes(command) ? before.currentStep : null,
              detail: command === "fail" ? { error: bodies["fail"] } : null,
              requestId: answer.headers.get("x-request-id"),
              correlationId: answer.headers.get("x-request-id"),
              version: after.version,
            },
          ]);
        } else {
          if (move) expect([answer.status, answer.data]).toEqual([202, before]);
          else {
            const allowed = expect.any(Array);
            expectProblem(answer, "invalid_transition", { from: status, command, allowed });
            // Approvals add commands of their own.
            const named = answer.body.allowed.filter((name: any) => commands.includes(name));
            expect(named.sort()).toEqual(Object.keys(moves).sort());
          }
          expect([after, entries, events]).toEqual([before, [], []]);
        }
      });
    }
  });
}

describe("a request's events", () => {
  test("tell whose they are, what they follow from, and what has changed", async () => {
    const headers = { "X-Correlation-ID": "order-7.checkout", "X-Request-ID": "click-1" };
    const { id } = await stages.PROVISIONING({ house, customer, admin });
    const output = { instanceId: "i-1" };
    const { data } = await admin.call("POST", `${requests}/${id}/advance`, { output }, headers);
    const event = (await eventsAbout(house, id)).at(-1);
    expect(event).toEqual({
      name: "step-completed",
      eventId: expect.any(String),
      type: `${house.world.platform}.provisioning.step-completed.v1`,
      version: 1,
      occurredAt: data.updatedAt,
      source: "provisioning",
      correlationId: "order-7.checkout",
      causationId: event.causationId,
      tenantId: customer.tenantId,
      subject: id,
      sequence: data.version,
      data: {
        ...{ requestId: id, orderId: "order-1", orderItemId: "item-1", resourceType: "BACKUP" },
        ...{ status: "PROVISIONING", clusterId: null, step: "ALLOCATE", output },
      },
    });
    const entry = (await audit(id)).at(-1);
    expect([entry.requestId, entry.correlationId]).toEqual(["click-1", "order-7.checkout"]);
  });
});
