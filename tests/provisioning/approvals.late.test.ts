import { expect, test } from "bun:test";
import { seedAdmin } from "../../src/seed.ts";
import { startLandfall } from "../../src/start.ts";
import { ownConfig } from "../config.ts";
import { adminEmail, houseOf, password } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { decide, everythingOf, waiting } from "./approvals.ts";

test("a decision after the time for it is refused, though no worker has ended the approval yet", async () => {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const program = await startLandfall(ownConfig(), { roles: ["web"], now });
  await seedAdmin(program.landfall, adminEmail, password);
  await using house = houseOf(program);
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const cast = { house, customer, admin };
  const [{ id }, { id: inTime }] = [
    await waiting(cast, { expiresInHours: 0.01, onExpiry: "APPROVE" }),
    await waiting(cast, { expiresInHours: 0.02 }),
  ];
  aheadMs = 36_000;
  const before = await everythingOf(cast, id);
  for (const verb of ["approve", "reject"] as const) {
    const refused = { from: "PENDING_APPROVAL", command: verb, allowed: ["delete"] };
    expectProblem(await decide(admin, verb, id), "invalid_transition", refused);
  }
  expect(await everythingOf(cast, id)).toEqual(before);
  expect((await decide(admin, "approve", inTime)).data.status).toBe("APPROVED");
});
