import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { adminEmail, type House, openHouse, type Person, password } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { partsOf, signedBy } from "./forge.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

const auth = "/api/identity/auth";
const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;
const register = (body: object, headers?: Record<string, string>) =>
  house.call("POST", `${auth}/register`, { email: newEmail(), password, name: "Ada", ...body }, headers);
const login = (email: string, secret = password) =>
  house.call("POST", `${auth}/login`, { email, password: secret });
const me = (token: string) =>
  house.call("GET", "/api/identity/me", undefined, { Authorization: `Bearer ${token}` });

const user = (email: string) => ({
  id: expect.any(String),
  email,
  name: "Ada",
  tenantId: expect.any(String),
  roles: [],
  emailVerified: false,
  mfaEnabled: false,
  disabled: false,
  lockedUntil: null,
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
});
const signedIn = (email: string) => ({
  user: user(email),
  accessToken: expect.any(String),
  refreshToken: expect.any(String),
  tokenType: "Bearer",
  expiresIn: 900,
});

describe("POST /api/identity/auth/register", () => {
  test("makes a tenant with its first user, and signs in", async () => {
    const email = newEmail();
    const answer = await register({ email });
    expect(answer.status).toBe(201);
    expect(answer.data).toEqual(signedIn(email));
    expect(answer.headers.get("location")).toBe("/api/identity/me");
    expect((await me(answer.data.accessToken)).data).toEqual(answer.data.user);
    const tenants = await house.rows("SELECT name FROM tenants WHERE id = ?", [answer.data.user.tenantId]);
    expect(tenants).toEqual([{ name: "Ada" }]);
  });

  test("names the tenant as it is told to", async () => {
    const { data } = await register({ tenantName: "Analytical Engines" });
    const tenants = await house.rows("SELECT name FROM tenants WHERE id = ?", [data.user.tenantId]);
    expect(tenants).toEqual([{ name: "Analytical Engines" }]);
  });

  test("gives each user a tenant of their own, and no role", async () => {
    const [one, other] = await Promise.all([register({}), register({})]);
    expect(one.data.user.tenantId).not.toBe(other.data.user.tenantId);
    expect(partsOf(one.data.accessToken).claims["roles"]).toEqual([]);
  });

  test("takes an address once, in whatever case", async () => {
    const email = newEmail();
    await register({ email });
    expectProblem(await register({ email: email.toUpperCase() }), "already_exists");
    const addresses = await Promise.all(Array.from({ length: 8 }, () => register({ email: `x${email}` })));
    expect(addresses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test("keeps addresses apart that only look alike", async () => {
    const email = newEmail();
    expect((await register({ email })).status).toBe(201);
    expect((await register({ email: email.replace("@", ".@").replace(".@", "-@") })).status).toBe(201);
    expectInvalid(await register({ email: `${email} ` }), "/email");
  });

  test("pays no heed to an Idempotency-Key, which belongs to nobody here", async () => {
    const headers = { "Idempotency-Key": "the-same" };
    const [one, other] = [await register({}, headers), await register({}, headers)];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.data.user.id).not.toBe(other.data.user.id);
  });
});

describe("POST /api/identity/auth/login", () => {
  test("signs in, whatever the case of the address", async () => {
    const email = newEmail();
    const { data } = await register({ email });
    for (const written of [email, email.toUpperCase()]) {
      const answer = await login(written);
      expect(answer.status).toBe(200);
      expect(answer.data).toEqual(signedIn(email));
      expect(answer.data.user.id).toBe(data.user.id);
    }
  });

  test("gives tokens that are never the same", async () => {
    const [one, other] = await Promise.all([login(adminEmail), login(adminEmail)]);
    expect(one.data.accessToken).not.toBe(other.data.accessToken);
    expect(one.data.refreshToken).not.toBe(other.data.refreshToken);
    const [claims, others] = [partsOf(one.data.accessToken).claims, partsOf(other.data.accessToken).claims];
    expect(claims["jti"]).not.toBe(others["jti"]);
  });

  test("answers an unknown address and a wrong password alike", async () => {
    const unknown = await login(newEmail());
    const wrong = await login(adminEmail, `${password}!`);
    for (const answer of [unknown, wrong]) expectProblem(answer, "invalid_credentials");
    const told = ({ body }: typeof wrong) => ({ ...body, meta: null });
    expect(told(wrong)).toEqual(told(unknown));
    expect([...wrong.headers.keys()]).toEqual([...unknown.headers.keys()]);
    expect(wrong.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("does the same work for an unknown address as for a wrong password", async () => {
    const verify = spyOn(Bun.password, "verify");
    try {
      await login(newEmail(), "not the password");
      await login(adminEmail, "not the password");
      const work = verify.mock.calls.map(([, hash]) => String(hash).split("$").slice(0, 4));
      expect(work).toHaveLength(2);
      expect(work[0]).toEqual(work[1] as string[]);
      expect(work[0]).toEqual(["", "argon2id", "v=19", expect.stringMatching(/^m=\d+,t=\d,p=1$/)]);
    } finally {
      verify.mockRestore();
    }
  });

  for (const wrong of [
    "",
    "\u0000",
    password.toUpperCase(),
    ` ${password}`,
    `${password} `,
    "x".repeat(1024),
  ])
    test(`refuses the password ${JSON.stringify(wrong.slice(0, 24))}`, async () => {
      expectProblem(await login(adminEmail, wrong), "invalid_credentials");
    });

  test("lets no disabled user in", async () => {
    const email = newEmail();
    const { data } = await register({ email });
    await house.world.pool.query("UPDATE users SET disabled = true WHERE id = ?", [data.user.id]);
    expectProblem(await login(email), "invalid_credentials");
  });
});

describe("a user who is disabled while the password is checked", () => {
  test("is not let in", async () => {
    const email = newEmail();
    const { id } = (await register({ email })).data.user;
    const holder = await house.world.pool.getConnection();
    await holder.beginTransaction();
    await holder.query("UPDATE users SET disabled = TRUE WHERE id = ?", [id]);
    const entering = login(email);
    const waiting =
      "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE ? AND ID <> CONNECTION_ID()";
    await eventually(async () => (await house.rows(waiting, [`%${id}%FOR UPDATE%`])).length > 0);
    await holder.commit();
    holder.release();
    expectProblem(await entering, "invalid_credentials");
    expect(await house.rows("SELECT id FROM sessions WHERE userId = ?", [id])).toHaveLength(1);
  });
});

describe("an access token", () => {
  test("is an ES256 JWT of 15 minutes that names user, tenant and roles", () => {
    const { header, claims } = partsOf(admin.token);
    expect(header).toEqual({ alg: "ES256", typ: "JWT", kid: expect.any(String) });
    expect(claims).toEqual({
      ...{ iss: "landfall", aud: "landfall", sub: admin.id, tenantId: admin.tenantId, kind: "user" },
      ...{ roles: ["ADMIN"], jti: expect.any(String), iat: expect.any(Number), exp: claims["iat"] + 900 },
    });
    expect(Math.abs(claims["iat"] - Date.now() / 1000)).toBeLessThan(60);
  });

  test("is signed by a key of the published set", async () => {
    const { body, headers } = await house.call("GET", "/api/identity/.well-known/jwks.json");
    expect(headers.get("content-type")).toStartWith("application/json");
    const key = body.keys.find(({ kid }: any) => kid === partsOf(admin.token).header["kid"]);
    expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect([key.alg, key.crv, key.kty, key.use]).toEqual(["ES256", "P-256", "EC", "sig"]);
    expect(signedBy(admin.token, key)).toBe(true);
  });
});
