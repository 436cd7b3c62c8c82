import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { authOf, expectRefused } from "./auth.ts";

let house: House;
let second: House;
let auth: ReturnType<typeof authOf>;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  auth = authOf(house);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

describe("POST /api/identity/auth/logout", () => {
  test("ends the session", async () => {
    const { refreshToken } = await auth.register();
    const answer = await auth.logout(refreshToken);
    expect([answer.status, answer.data]).toEqual([200, { revoked: true }]);
    expectRefused(await auth.refresh(refreshToken));
  });

  test("ends it with any of its tokens", async () => {
    const { refreshToken } = await auth.register();
    const current = await auth.next(refreshToken);
    await auth.logout(refreshToken);
    expectRefused(await auth.refresh(current));
  });

  test("can be done twice", async () => {
    const { user, refreshToken } = await auth.register();
    await auth.logout(refreshToken);
    const ended = () => house.rows("SELECT endedAt, version FROM sessions WHERE userId = ?", [user.id]);
    const before = await ended();
    expect((await auth.logout(refreshToken)).data).toEqual({ revoked: true });
    expect(await ended()).toEqual(before);
  });

  test("leaves the user's other sessions", async () => {
    const { user, refreshToken } = await auth.register();
    const other = await auth.login(user.email);
    await auth.logout(refreshToken);
    await auth.next(other.refreshToken);
  });

  test("wins over a refresh at the same moment, or the refresh over it: no token is left", async () => {
    for (let i = 0; i < 5; i++) {
      const { refreshToken } = await auth.register();
      const [refreshed] = await Promise.all([
        authOf(second).refresh(refreshToken),
        auth.logout(refreshToken),
      ]);
      if (refreshed.status === 200) expectRefused(await auth.refresh(refreshed.data.refreshToken));
      else expectRefused(refreshed);
    }
  });
});

describe("a session", () => {
  const dayMs = 24 * 3_600_000;

  test("lasts seven days from each refresh", async () => {
    let now = new Date();
    await using later = await openHouse({ samples: false, now: () => now });
    const began = now.getTime();
    const { refreshToken } = await authOf(later).register();
    const idle = await authOf(later).register();
    now = new Date(began + 7 * dayMs - 1);
    const { data } = await authOf(later).refresh(refreshToken);
    now = new Date(began + 7 * dayMs);
    expectRefused(await authOf(later).refresh(idle.refreshToken));
    now = new Date(began + 14 * dayMs - 2);
    const again = await authOf(later).refresh(data.refreshToken);
    expect(again.status).toBe(200);
    now = new Date(began + 21 * dayMs);
    expectRefused(await authOf(later).refresh(again.data.refreshToken));
  });

  test("is forgotten thirty days after its last token, and its tokens with it", async () => {
    const began = Date.now();
    const early = await openHouse({ samples: false });
    const { user, refreshToken } = await authOf(early).register();
    const kept = await authOf(early).register();
    const longer = [new Date(began + 20 * dayMs), kept.user.id];
    await early.rows("UPDATE sessions SET expiresAt = ? WHERE userId = ?", longer);
    await early.program.stop();
    const { config } = early.program.landfall;
    const now = () => new Date(began + 38 * dayMs);
    await using late = await openHouse({ config, samples: false, now });
    const rows = (id: string) => late.rows("SELECT id FROM sessions WHERE userId = ?", [id]);
    await eventually(async () => (await rows(user.id)).length === 0);
    expect(await rows(kept.user.id)).toHaveLength(1);
    expectRefused(await authOf(late).refresh(refreshToken));
    expect((await authOf(late).logout(refreshToken)).data).toEqual({ revoked: true });
  });
});
