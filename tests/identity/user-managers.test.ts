import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, password } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { create, newEmail, path, update } from "./users.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

describe("who manages users", () => {
  test("does not take it from themselves", async () => {
    const person = await house.staff("ADMIN", "OPS");
    for (const body of [{ disabled: true }, { roles: [] }, { roles: ["OPS"] }])
      expectProblem(await update(person, person.id, body), "forbidden");
    const { data } = await update(person, person.id, { roles: ["SECURITY"], name: "Grace Hopper" });
    expect(data.roles).toEqual(["SECURITY"]);
  });

  test("is looked at as they are now, not as their token says", async () => {
    const [person, other] = [await house.staff("ADMIN"), await house.staff("SECURITY")];
    await update(admin, person.id, { roles: ["OPS"] });
    await update(admin, other.id, { disabled: true });
    for (const former of [person, other]) {
      expectProblem(await update(former, former.id, { roles: ["ADMIN"] }), "forbidden");
      expectProblem(await create(former, { roles: ["ADMIN"] }), "forbidden");
    }
  });

  test("can't be taken from two by each other at once", async () => {
    for (let i = 0; i < 3; i++) {
      const [one, other] = await Promise.all([house.staff("ADMIN"), house.staff("ADMIN")]);
      const answers = await Promise.all([
        update(one, other.id, { disabled: true }),
        update(other, one.id, { roles: [] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });

  test("is no API key, whoever made it", async () => {
    const { data } = await admin.call("POST", "/api/identity/api-keys", { name: "tools", kind: "tenant" });
    const headers = { "X-API-Key": data.key };
    const body = { email: newEmail(), name: "Grace", password };
    expect((await house.call("POST", path, body, headers)).status).toBe(201);
    const roles = await house.call("POST", path, { ...body, email: newEmail(), roles: ["OPS"] }, headers);
    expectProblem(roles, "forbidden");
  });
});
