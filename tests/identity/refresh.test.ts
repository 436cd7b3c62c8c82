import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type House, openHouse, type Person, password } from "../house.ts";
import { authOf, expectRefused } from "./auth.ts";
import { partsOf } from "./forge.ts";

let house: House;
let second: House;
let admin: Person;
let auth: ReturnType<typeof authOf>;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  admin = await house.admin();
  auth = authOf(house);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const patch = (id: string, body: object) => admin.call("PATCH", `/api/identity/users/${id}`, body);

describe("POST /api/identity/auth/refresh", () => {
  test("gives a new pair, in the shape of a sign-in", async () => {
    const first = await auth.register();
    const answer = await auth.refresh(first.refreshToken);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      user: first.user,
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      tokenType: "Bearer",
      expiresIn: 900,
    });
    expect(answer.data.refreshToken).not.toBe(first.refreshToken);
    expect((await auth.me(answer.data.accessToken)).data).toEqual(first.user);
    const [one, other] = [first, answer.data].map(({ accessToken }) => partsOf(accessToken).claims);
    expect(one?.["jti"]).not.toBe(other?.["jti"]);
  });

  test("that is answered 503 can be asked again with the same token", async () => {
    const { refreshToken } = await auth.register();
    const lost = Object.assign(new Error("gone"), { code: "ECONNRESET" });
    const reads = spyOn(house.world.db, "select").mockImplementationOnce(() => {
      throw lost;
    });
    expect((await auth.refresh(refreshToken)).status).toBe(503);
    reads.mockRestore();
    expect((await auth.refresh(refreshToken)).status).toBe(200);
  });

  test("goes on and on, one token after the other", async () => {
    let { refreshToken } = await auth.register();
    for (let i = 0; i < 5; i++) refreshToken = await auth.next(refreshToken);
  });

  test("takes the token of a sign-in, and of another program", async () => {
    const { user } = await auth.register();
    const { refreshToken } = await auth.login(user.email);
    const answer = await authOf(second).refresh(refreshToken);
    expect([answer.status, answer.data.user.id]).toEqual([200, user.id]);
    await auth.next(answer.data.refreshToken);
  });

  test("gives the roles of today", async () => {
    const { user, refreshToken } = await auth.register();
    await patch(user.id, { roles: ["OPS"] });
    const { data } = await auth.refresh(refreshToken);
    expect(data.user.roles).toEqual(["OPS"]);
    expect(partsOf(data.accessToken).claims["roles"]).toEqual(["OPS"]);
  });

  test("pays no heed to If-Match, as no version was given", async () => {
    const { user, refreshToken } = await auth.register();
    const headers = { "If-Match": '"7"' };
    const send = (door: string, body: object) =>
      house.call("POST", `/api/identity/auth/${door}`, body, headers);
    const refreshed = await send("refresh", { refreshToken });
    expect(refreshed.status).toBe(200);
    expect((await send("logout", { refreshToken: refreshed.data.refreshToken })).status).toBe(200);
    expect((await send("login", { email: user.email, password })).status).toBe(200);
  });

  test("leaves the last sign-in's time and the user as they are", async () => {
    const { user, refreshToken } = await auth.register();
    const rows = () =>
      house.rows("SELECT version, updatedAt, lastLoginAt FROM users WHERE id = ?", [user.id]);
    const before = await rows();
    await auth.next(refreshToken);
    expect(await rows()).toEqual(before);
  });

  test("refuses a disabled user, for good", async () => {
    const { user, refreshToken } = await auth.register();
    await patch(user.id, { disabled: true });
    expectRefused(await auth.refresh(refreshToken));
    await patch(user.id, { disabled: false });
    expectRefused(await auth.refresh(refreshToken));
    await auth.next((await auth.login(user.email)).refreshToken);
  });
});

describe("a refresh token that was used before", () => {
  test("ends its session, with all that followed from it", async () => {
    const { refreshToken: first } = await auth.register();
    const second = await auth.next(first);
    const third = await auth.next(second);
    expectRefused(await auth.refresh(first));
    for (const token of [first, second, third]) expectRefused(await auth.refresh(token));
  });

  test("ends it by a commit that another program sees", async () => {
    const { user, refreshToken } = await auth.register();
    const current = await auth.next(refreshToken);
    expectRefused(await auth.refresh(refreshToken));
    const sessions = await house.rows("SELECT endedAt FROM sessions WHERE userId = ?", [user.id]);
    expect(sessions).toEqual([{ endedAt: expect.any(Date) }]);
    expectRefused(await authOf(second).refresh(current));
  });

  test("leaves the user's other sessions, and those of others", async () => {
    const { user, refreshToken } = await auth.register();
    const other = await auth.login(user.email);
    const stranger = await auth.register();
    await auth.next(refreshToken);
    expectRefused(await auth.refresh(refreshToken));
    await auth.next(other.refreshToken);
    await auth.next(stranger.refreshToken);
  });

  test("wins once when it is sent often at once, and then nobody has the session", async () => {
    const { refreshToken } = await auth.register();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => authOf(i % 2 ? house : second).refresh(refreshToken)),
    );
    const [won, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(11);
    expectRefused(await auth.refresh(won?.data.refreshToken));
  });

  test("is written to the log, without the token", async () => {
    const lines: [string, object?][] = [];
    const { log } = house.world;
    const { warn } = log;
    log.warn = (...line) => lines.push(line);
    try {
      const { user, refreshToken } = await auth.register();
      await auth.next(refreshToken);
      await auth.refresh(refreshToken);
      expect(lines).toEqual([
        [
          "session ended by a refresh",
          { requestId: expect.any(String), sessionId: expect.any(String), userId: user.id },
        ],
      ]);
    } finally {
      log.warn = warn;
    }
  });
});

/** What somebody may send in place of a refresh token of ours. */
const forged: Record<string, (good: string) => Promise<string> | string> = {
  "no token": () => "abc",
  "a byte": () => "AA",
  "a token of no session": () => house.world.vault.seal(`${house.world.newId()}.${"x".repeat(43)}`),
  "random bytes": () => randomBytes(108).toString("base64url"),
  "one cut short": (good) => good.slice(0, -2),
  "one with another tag": (good) => `${good.slice(0, -3)}${good.endsWith("AAA") ? "BBB" : "AAA"}`,
  "one with another nonce": (good) => `${good.startsWith("A") ? "B" : "A"}${good.slice(1)}`,
  "one with another session in it": (good) => {
    const bytes = Buffer.from(good, "base64url");
    bytes[20] = (bytes[20] as number) ^ 1;
    return bytes.toString("base64url");
  },
  "one sealed with another key": async () => {
    await using other = await openHouse({ samples: false });
    return (await authOf(other).register()).refreshToken;
  },
  "an access token": async () => (await auth.register()).accessToken,
  "its hash": async () => (await house.rows("SELECT tokenHash FROM sessions LIMIT 1"))[0].tokenHash,
  "a session's id": async () => (await house.rows("SELECT id FROM sessions LIMIT 1"))[0].id,
  "letters of another script": () => "ключ",
};

describe("a forged refresh token", () => {
  for (const [name, make] of Object.entries(forged))
    test(`is refused, and ends nobody's session: ${name}`, async () => {
      const { refreshToken } = await auth.register();
      const wrong = await make(refreshToken);
      expect(wrong).not.toBe(refreshToken);
      expectRefused(await auth.refresh(wrong));
      expect((await auth.logout(wrong)).data).toEqual({ revoked: true });
      await auth.next(refreshToken);
    });

  test("that names a session with a secret of its own needs the program's key", async () => {
    const { user, refreshToken } = await auth.register();
    const [{ id }] = await house.rows("SELECT id FROM sessions WHERE userId = ?", [user.id]);
    for (const text of [id, `${id}.`, `${id}.${"x".repeat(43)}`]) {
      expectRefused(await auth.refresh(Buffer.from(text).toString("base64url")));
    }
    await auth.next(refreshToken);
  });
});
