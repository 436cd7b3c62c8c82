import { expect, test } from "bun:test";
import { startLandfall } from "../../src/start.ts";
import { ownConfig } from "../config.ts";
import { houseOf, openHouse } from "../house.ts";

test("programs that start at once take each other's tokens", async () => {
  const config = ownConfig();
  await using house = await openHouse({ config });
  await house.rows("DELETE FROM signing_keys");
  const programs = await Promise.all([startLandfall(config), startLandfall(config), startLandfall(config)]);
  const houses = programs.map(houseOf);
  try {
    const [{ keys }] = await house.rows("SELECT COUNT(*) AS `keys` FROM signing_keys");
    expect(keys).toBe(1);
    for (const issuer of houses) {
      const { token } = await issuer.signUp();
      for (const reader of houses) {
        const { status } = await reader.call("GET", "/api/identity/me", undefined, {
          Authorization: `Bearer ${token}`,
        });
        expect(status).toBe(200);
      }
    }
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
});
