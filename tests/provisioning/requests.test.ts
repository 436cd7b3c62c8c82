import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const requests = "/api/provisioning/requests";

describe("a provisioning request", () => {
  test("goes from an order to a running service, with its audit and its events", async () => {
    const created = await customer.call("POST", requests, vm(customer.tenantId));
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe(`${requests}/${created.data.id}`);
    const { id } = created.data;
    expect((await admin.call("POST", `${requests}/${id}/start`)).data.currentStep).toBe("ALLOCATE");
    const active = await house.until(customer, id, "ACTIVE");
    expect(active.steps.map((step: any) => [step.step, step.status])).toEqual([
      ["ALLOCATE", "COMPLETED"],
      ["CONFIGURE", "COMPLETED"],
      ["ACTIVATE", "COMPLETED"],
      ["VERIFY", "COMPLETED"],
    ]);
    const { data: audit } = await customer.call("GET", `${requests}/${id}/audit`);
    expect(audit.map((entry: any) => entry.command)).toEqual([
      "create",
      "start",
      "advance",
      "advance",
      "advance",
      "advance",
    ]);
    const completed = await house.events("provisioning.step-completed", id, 4);
    expect(completed.map((event) => event.sequence)).toEqual([3, 4, 5, 6]);
  });
});
