import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Endpoint, type Grant, grants, needsToken, type Scene } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { type Answer, openHouse } from "../house.ts";
import { expectProblem } from "../http/answers.ts";

let scene: Scene;
let unscoped: string;
let bearing: (scopes: string[]) => Promise<string>;
beforeAll(async () => {
  const house = await openHouse();
  const [customer, admin] = await Promise.all([house.signUp(), house.admin()]);
  scene = { house, customer, admin };
  bearing = async (scopes) => {
    const body = { name: "scoped", kind: "tenant", scopes };
    return (await customer.call("POST", "/api/identity/api-keys", body)).data.key;
  };
  unscoped = await bearing([]);
});
afterAll(() => scene.house.close());

const areas = ["provisioning", "dns", "quotas", "webhooks", "products", "notifications", "orders"];
const scopes = [...areas, "billing", "support"].flatMap((area) => [`${area}:read`, `${area}:write`]);

/** One call of a row with an API key, on a fresh target. */
async function call(row: Endpoint, key: string): Promise<Answer> {
  const path = row.path.replace(/\{\w+\}/, (await row.target?.(scene)) ?? "");
  const headers = { ...(await row.headers?.(scene)), "X-API-Key": key };
  const query = row.query ? `?${row.query}` : "";
  return scene.house.call(row.method, path + query, await row.body?.(scene), headers);
}

for (const row of endpoints.filter(needsToken)) {
  const grant: Grant = grants[row.may as keyof typeof grants];
  const opened = grant.tenant ? row.status : 403;

  describe(`${row.method} ${row.path} with an API key`, () => {
    test("opens to one without scopes as to its tenant's users", async () => {
      const { status } = await call(row, unscoped);
      expect(status).toBe(row.path === "/api/identity/me" ? 404 : opened);
    });

    test(`opens to the scope ${grant.scope ?? "of none"}, and to no other`, async () => {
      const others = await call(row, await bearing(scopes.filter((scope) => scope !== grant.scope)));
      expectProblem(others, "forbidden");
      const { status } = await call(row, await bearing(grant.scope ? [grant.scope] : scopes));
      expect(status).toBe(grant.scope ? opened : 403);
    });
  });
}

test("a key with scopes makes, lists and deletes no keys", async () => {
  const path = "/api/identity/api-keys";
  const headers = { "X-API-Key": await bearing(scopes) };
  const { data } = await scene.customer.call("POST", path, { name: "kept", kind: "tenant" });
  const answers = [
    await scene.house.call("POST", path, { name: "more", kind: "tenant" }, headers),
    await scene.house.call("GET", path, undefined, headers),
    await scene.house.call("DELETE", `${path}/${data.id}`, undefined, headers),
  ];
  for (const answer of answers) expectProblem(answer, "forbidden");
});
