import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../schema/errors.ts";
import { raw, requestText } from "../gateway/raw.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { requests, stages } from "../provisioning/stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

interface Sent {
  method: string;
  path: string;
  body: string;
  headers: Record<string, string>;
}

const bearer = ({ token }: Person) => ({ Authorization: `Bearer ${token}` });
const withBody = (value: unknown, body = JSON.stringify(value)) => ({
  body,
  headers: { "Content-Length": String(body.length) },
});

/** Everything that can be wrong with a command, in the order in which it is told, and what mends it. */
const faults: [code: ErrorCode, mend: (ids: { waiting: string; running: string }) => Partial<Sent>][] = [
  ["not_found", () => ({ path: `${requests}/nobody/fail` })],
  ["method_not_allowed", () => ({ method: "POST" })],
  ["body_too_large", () => ({ headers: { "Content-Length": "1" } })],
  ["unsupported_media_type", () => ({ headers: { "Content-Type": "application/json" } })],
  ["malformed_json", () => withBody({})],
  ["unauthenticated", () => ({ headers: bearer(customer) })],
  ["forbidden", () => ({ headers: bearer(admin) })],
  ["validation_failed", () => withBody({ code: "NO_CAPACITY", message: "The rack is full." })],
  ["not_found", ({ waiting }) => ({ path: `${requests}/${waiting}/fail` })],
  ["invalid_transition", ({ running }) => ({ path: `${requests}/${running}/fail` })],
  ["precondition_failed", () => ({ headers: { "If-Match": '"2"' } })],
];

describe("a command with everything wrong", () => {
  test("is told one fault after the other, in the order of the checks", async () => {
    const scene = { house, customer, admin };
    const [{ id: waiting }, { id: running }] = [
      await stages.PENDING(scene),
      await stages.PROVISIONING(scene),
    ];
    let sent: Sent = {
      method: "PUT",
      path: `${requests}/nobody/fails`,
      body: "{",
      headers: {
        Host: "localhost",
        "Content-Type": "text/plain",
        "Content-Length": "99999999",
        "If-Match": '"7"',
      },
    };
    const ask = () =>
      raw(house.program.url as string, requestText(sent.method, sent.path, sent.headers, sent.body));
    const told: ErrorCode[] = [];
    for (const [, mend] of faults) {
      told.push((await ask()).body.code);
      const mended = mend({ waiting, running });
      sent = { ...sent, ...mended, headers: { ...sent.headers, ...mended.headers } };
    }
    expect(told).toEqual(faults.map(([code]) => code));
    expect((await ask()).status).toBe(200);
  });
});
