import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { requests, type Stage, stages } from "../provisioning/stages.ts";
import { expectProblem } from "./answers.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const made = (stage: Stage) => stages[stage]({ house, customer, admin });
const get = (id: string) => customer.call("GET", `${requests}/${id}`);
const send = (id: string, command: string, ifMatch: string) =>
  command === "delete"
    ? admin.call("DELETE", `${requests}/${id}`, undefined, { "If-Match": ifMatch })
    : admin.call("POST", `${requests}/${id}/${command}`, undefined, { "If-Match": ifMatch });

describe("ETag", () => {
  test("is the version, on what is read and on what is changed", async () => {
    const { id, version } = await made("PENDING");
    expect((await get(id)).headers.get("etag")).toBe(`"${version}"`);
    const started = await admin.call("POST", `${requests}/${id}/start`);
    expect([started.headers.get("etag"), started.data.version]).toEqual([`"${version + 1}"`, version + 1]);
    expect((await customer.call("GET", requests)).headers.get("etag")).toBeNull();
  });
});

describe("If-Match", () => {
  /* The record has version 2; `true`: the command is carried out. RFC 9110, 13.1.1. */
  const tags: [ifMatch: string, holds: boolean][] = [
    ['"2"', true],
    ["*", true],
    ['"1", "2"', true],
    ['"2","3"', true],
    ['"1"', false],
    ['"3"', false],
    ['"02"', false],
    ['W/"2"', false],
    ["2", false],
    ['"two"', false],
    ['""', false],
    ['"1", "3"', false],
    [`"${"2".repeat(40)}"`, false],
  ];
  for (const [ifMatch, holds] of tags)
    test(`${ifMatch.slice(0, 12)} ${holds ? "holds" : "does not hold"} for version 2`, async () => {
      const before = await made("PROVISIONING");
      expect(before.version).toBe(2);
      const answer = await send(before.id, "advance", ifMatch);
      if (holds) expect([answer.status, answer.data.version]).toEqual([200, 3]);
      else {
        expectProblem(answer, "precondition_failed");
        expect((await get(before.id)).data).toEqual(before);
      }
    });

  for (const [from, command] of [
    ["PENDING", "start"],
    ["FAILED", "retry"],
    ["ACTIVE", "suspend"],
    ["SUSPENDED", "reactivate"],
    ["ACTIVE", "delete"],
    ["AWAITING_MANUAL", "manual-complete"],
  ] as const)
    test(`is honoured by ${command}`, async () => {
      const { id, version } = await made(from);
      expectProblem(await send(id, command, `"${version - 1}"`), "precondition_failed");
      expect((await send(id, command, `"${version}"`)).status).toBe(command === "delete" ? 202 : 200);
    });

  test("comes after the state and the record", async () => {
    const { id } = await made("PENDING");
    expect((await send(id, "advance", '"9"')).body.code).toBe("invalid_transition");
    expect((await send(crypto.randomUUID(), "advance", '"9"')).body.code).toBe("not_found");
  });

  test("lets one of many writers through", async () => {
    const { id, version } = await made("PROVISIONING");
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(id, "advance", `"${version}"`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(412)]);
    expect((await get(id)).data.version).toBe(version + 1);
  });
});
