import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminEmail, type House, openHouse, type Person, password } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { partsOf } from "./forge.ts";
import { create, newEmail, path, update } from "./users.ts";

let house: House;
let admin: Person;
let security: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, security, customer] = await Promise.all([house.admin(), house.staff("SECURITY"), house.signUp()]);
});
afterAll(() => house.close());

const login = (email: string, secret = password) =>
  house.call("POST", "/api/identity/auth/login", { email, password: secret });
const rolesIn = (token: string) => partsOf(token).claims["roles"];

describe("POST /api/identity/users", () => {
  test("makes a user of the caller's tenant, who can sign in", async () => {
    const email = newEmail();
    const answer = await create(customer, { email, password: "a password of hers" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${path}/${answer.data.id}`);
    expect(answer.data).toEqual({
      id: expect.any(String),
      email,
      name: "Grace",
      tenantId: customer.tenantId,
      roles: [],
      ...{ emailVerified: false, mfaEnabled: false, disabled: false, lockedUntil: null },
      createdAt: expect.any(String),
      updatedAt: answer.data.createdAt,
    });
    const signedIn = await login(email, "a password of hers");
    expect(signedIn.data.user).toEqual(answer.data);
    const own = { Authorization: `Bearer ${signedIn.data.accessToken}` };
    expect((await house.call("GET", `${path}/${customer.id}`, undefined, own)).status).toBe(200);
  });

  test("makes one with roles in any tenant, for ADMIN and SECURITY", async () => {
    for (const person of [admin, security]) {
      const roles = ["OPS", "SALES"];
      const { data } = await create(person, { roles, tenantId: customer.tenantId });
      expect(data).toMatchObject({ roles, tenantId: customer.tenantId });
      expect(rolesIn((await login(data.email)).data.accessToken)).toEqual(roles);
      expect((await create(person)).data.tenantId).toBe(person.tenantId);
    }
  });

  test("gives each role once", async () => {
    expect((await create(admin, { roles: ["OPS", "OPS"] })).data.roles).toEqual(["OPS"]);
  });

  test("points at each role that there is not", async () => {
    expectInvalid(await create(admin, { roles: ["OPS", "ROOT", "ops"] }), "/roles/1", "/roles/2");
  });

  test("gives roles for ADMIN and SECURITY alone", async () => {
    const others = [customer, await house.staff("OPS"), await house.staff("SALES", "FINANCE", "PRODUCT")];
    for (const person of others)
      for (const roles of [["ADMIN"], []]) expectProblem(await create(person, { roles }), "forbidden");
  });

  test("leaves the tenants of others alone", async () => {
    const { tenantId } = await house.signUp();
    for (const person of [customer, await house.staff("OPS")])
      expectProblem(await create(person, { tenantId }), "tenant_mismatch");
  });

  for (const tenantId of ["nope", "ü", "'", "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c"])
    test(`finds no tenant ${tenantId}`, async () => {
      expectProblem(await create(admin, { tenantId }), "not_found");
    });

  test("takes an address once, in whatever case and tenant, and at once", async () => {
    const email = newEmail();
    expect((await create(customer, { email })).status).toBe(201);
    expectProblem(await create(admin, { email: email.toUpperCase() }), "already_exists");
    const register = { email, password, name: "Ada" };
    expectProblem(await house.call("POST", "/api/identity/auth/register", register), "already_exists");
    const many = await Promise.all(Array.from({ length: 6 }, () => create(customer, { email: `x${email}` })));
    expect(many.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
  });

  test("needs a password, as long as nobody is invited by mail", async () => {
    const answer = await customer.call("POST", path, { email: newEmail(), name: "Grace" });
    expectInvalid(answer, "/password");
    expect(answer.body.errors).toEqual([{ pointer: "/password", message: "Is required." }]);
  });

  test("tells the bus", async () => {
    const { data } = await create(customer);
    const [event] = await house.events("identity.user-registered", data.id, 1);
    expect(event).toMatchObject({
      tenantId: customer.tenantId,
      source: "identity",
      data: { userId: data.id, email: data.email },
    });
  });

  test("makes one user of the same Idempotency-Key", async () => {
    const body = { email: newEmail(), name: "Grace", password };
    const headers = { "Idempotency-Key": "one user" };
    const [first, again] = [
      await customer.call("POST", path, body, headers),
      await customer.call("POST", path, body, headers),
    ];
    expect([again.status, again.data]).toEqual([201, first.data]);
  });
});

describe("GET /api/identity/users", () => {
  test("lists a customer's own tenant, and every tenant for ADMIN and SECURITY", async () => {
    const person = await house.signUp();
    const { data: made } = await create(person);
    const { data, body } = await person.call("GET", path);
    expect([body.meta.total, data.map(({ id }: any) => id)]).toEqual([2, [made.id, person.id]]);
    expect(JSON.stringify(data)).not.toMatch(/password|argon2/i);
    for (const staff of [admin, security]) {
      const all = await staff.call("GET", `${path}?limit=100`);
      expect(all.data.map(({ id }: any) => id)).toContain(person.id);
      const one = await staff.call("GET", `${path}?tenantId=${person.tenantId}`);
      expect(one.data).toEqual(data);
    }
    const ops = await house.staff("OPS");
    const seen = (await ops.call("GET", `${path}?limit=100`)).data;
    expect(new Set(seen.map(({ tenantId }: any) => tenantId))).toEqual(new Set([ops.tenantId]));
  });

  test("finds an address in whatever case, and only as a whole", async () => {
    const { data } = await create(customer);
    const find = async (email: string, person = admin) =>
      (await person.call("GET", `${path}?email=${encodeURIComponent(email)}`)).data.map(({ id }: any) => id);
    expect(await find(data.email)).toEqual([data.id]);
    expect(await find(data.email.toUpperCase(), customer)).toEqual([data.id]);
    for (const email of [data.email.slice(1), "%", "ü@example.com", " ", `${data.email} `])
      expect([email, await find(email)]).toEqual([email, []]);
    expect(await find(adminEmail, customer)).toEqual([]);
  });

  test("is empty for a tenant that is not there", async () => {
    for (const tenantId of ["nope", "%C3%BC", house.world.newId()])
      expect((await admin.call("GET", `${path}?tenantId=${tenantId}`)).data).toEqual([]);
  });

  test("is walked by cursor, each user once", async () => {
    const person = await house.signUp();
    await Promise.all(Array.from({ length: 4 }, () => create(person)));
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const { data, body } = await person.call("GET", `${path}?limit=2&sort=createdAt${cursor}`);
      found.push(...data.map(({ id }: any) => id));
      if (!body.meta.next_cursor) break;
      cursor = `&cursor=${body.meta.next_cursor}`;
    }
    expect(found).toHaveLength(5);
    expect(new Set(found).size).toBe(5);
  });
});

describe("PATCH /api/identity/users/{id}", () => {
  test("with nothing to change changes nothing", async () => {
    const { data } = await create(customer);
    expect((await update(customer, data.id, {})).data).toEqual(data);
  });

  test("renames, within the tenant and for ADMIN and SECURITY", async () => {
    const { data } = await create(customer);
    for (const person of [customer, admin, security]) {
      const name = `Grace, by ${person.id}`;
      const answer = await update(person, data.id, { name });
      expect([answer.status, answer.data.name]).toEqual([200, name]);
      expect((await customer.call("GET", `${path}/${data.id}`)).data).toEqual(answer.data);
    }
  });

  test("changes only what it names", async () => {
    const { data } = await create(admin, { roles: ["OPS"] });
    await update(admin, data.id, { disabled: true });
    const renamed = (await update(admin, data.id, { name: "Grace Hopper" })).data;
    expect(renamed).toEqual({
      ...data,
      ...{ name: "Grace Hopper", disabled: true, updatedAt: renamed.updatedAt },
    });
    expect((await update(admin, data.id, {})).data).toMatchObject({ name: "Grace Hopper", roles: ["OPS"] });
  });

  test("gives roles that count from the next sign-in", async () => {
    const { data } = await create(customer);
    expect((await update(security, data.id, { roles: ["SALES"] })).data.roles).toEqual(["SALES"]);
    expect(rolesIn((await login(data.email)).data.accessToken)).toEqual(["SALES"]);
    await update(admin, data.id, { roles: [] });
    expect(rolesIn((await login(data.email)).data.accessToken)).toEqual([]);
  });

  test("shuts a disabled user out, as if the password were wrong, and lets them in again", async () => {
    const { data } = await create(customer);
    expect((await update(security, data.id, { disabled: true })).data.disabled).toBe(true);
    const [shut, wrong] = [await login(data.email), await login(data.email, `${password}!`)];
    for (const answer of [shut, wrong]) expectProblem(answer, "invalid_credentials");
    expect(shut.body.detail).toBe(wrong.body.detail);
    await update(admin, data.id, { disabled: false });
    expect((await login(data.email)).status).toBe(200);
  });

  test("decides on roles and who is disabled for ADMIN and SECURITY alone", async () => {
    const { data } = await create(customer);
    const ops = await house.staff("OPS", "FINANCE");
    const changes = [{ roles: ["ADMIN"] }, { roles: [] }, { disabled: true }, { disabled: false }];
    for (const body of changes) {
      expectProblem(await update(customer, data.id, { name: "Mallory", ...body }), "forbidden");
      expectProblem(await update(customer, customer.id, body), "forbidden");
      expectProblem(await update(ops, ops.id, body), "forbidden");
    }
    expect((await customer.call("GET", `${path}/${data.id}`)).data).toEqual(data);
  });

  test("does not tell of another tenant's users", async () => {
    const other = await house.signUp();
    for (const id of [admin.id, customer.id, house.world.newId()])
      for (const body of [{ name: "Mallory" }, { roles: ["ADMIN"] }])
        expectProblem(await update(other, id, body), "not_found");
  });
});
