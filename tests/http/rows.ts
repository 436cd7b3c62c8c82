import { afterAll, beforeAll } from "bun:test";
import { type Endpoint, type Grant, grants, needsToken, roles, type Scene, withValue } from "../endpoint.ts";
import { type Answer, openHouse, type Person } from "../house.ts";

/* How the tests that run over every row of `endpoints.ts` make its calls. */

interface Asked {
  target?: string;
  body?: unknown;
  headers?: Record<string, string>;
  query?: string;
  /** Below `/api/v1` rather than `/api`. */
  alias?: true;
  /** Behind the path. */
  slash?: true;
  method?: string;
}

/** A house for one test file, with a caller of every kind: `customer`, `foreign` (of another tenant), `service`, and one of each role. */
export function openCallers() {
  let scene: Scene;
  let callers: Record<string, Person>;
  beforeAll(async () => {
    const house = await openHouse();
    const [customer, foreign, admin, ...staff] = await Promise.all([
      house.signUp(),
      house.signUp(),
      house.admin(),
      ...roles.map((role) => house.staff(role)),
    ]);
    scene = { house, customer, admin };
    const byRole = Object.fromEntries(roles.map((role, i) => [role, staff[i] as Person]));
    callers = { customer, foreign, service: await house.service(admin), ...byRole };
  });
  afterAll(() => scene.house.close());

  return {
    get scene() {
      return scene;
    },
    get callers() {
      return callers;
    },
    /** One call of a row: with its own body, on a fresh target, unless told otherwise. */
    async call(row: Endpoint, person: Person | null, asked: Asked = {}): Promise<Answer> {
      const target = asked.target ?? (await row.target?.(scene)) ?? "";
      const named = row.path.replace(/\{\w+\}/, target).replace(/\{\w+\}/, row.further ?? "");
      const path = named.replace("/api/", asked.alias ? "/api/v1/" : "/api/");
      const body = "body" in asked ? asked.body : (row.text?.[1]() ?? (await row.body?.(scene)));
      const type: Record<string, string> = row.text ? { "Content-Type": row.text[0] } : {};
      const headers = { ...type, ...(await row.headers?.(scene)), ...asked.headers };
      const send = person?.call ?? scene.house.call;
      const place = asked.slash ? `${path}/` : path;
      const query = [row.query, asked.query].filter(Boolean).join("&");
      return send(asked.method ?? row.method, query ? `${place}?${query}` : place, body, headers);
    },
    /** A body that is good but for one value. */
    bodyWith: async (row: Endpoint, pointer: string, value: unknown) =>
      withValue((await row.body?.(scene)) ?? {}, pointer, value),
    /** The first of the callers who may; nobody where no token is needed. */
    able(row: Endpoint): Person | null {
      if (!needsToken(row)) return null;
      const name = Object.keys(callers).find((caller) => promised(row, caller) === row.status);
      if (!name) throw new Error(`Nobody may ${row.method} ${row.path}.`);
      return callers[name] as Person;
    },
  };
}

/** The status that the permission table promises a caller; whom it does not name is like the user of another tenant. */
export function promised(row: Endpoint, caller: string): number {
  const grant: Grant = grants[row.may as keyof typeof grants];
  const given = row.answers?.[caller];
  if (given !== undefined) return given;
  if (caller === "service") return grant.services ? row.status : 403;
  if (grant.staff?.some((role) => role === caller)) return row.status;
  if (!grant.tenant) return 403;
  if (caller === "customer") return row.status;
  if (row.foreign === "hidden") return grant.seen && caller !== "foreign" ? 403 : 404;
  return row.tenantIn === "body" || row.tenantIn === "path" ? 403 : row.status;
}
