import type { House, Person } from "./house.ts";

/* The words in which `endpoints.ts` tells what every operation promises. */

export const roles = ["ADMIN", "FINANCE", "SALES", "OPS", "SECURITY", "PRODUCT"] as const;
type Role = (typeof roles)[number];

/** A row of the permission table: whom it names. */
export interface Grant {
  /** The users of a tenant, inside it. */
  tenant?: true;
  /** Staff with these roles, in every tenant. */
  staff?: readonly Role[];
  services?: true;
  /** Staff without such a role know of the records all the same. */
  seen?: true;
  /** What an API key with scopes must name; absent: such keys are refused. */
  scope?: string;
}

const driving = ["ADMIN", "OPS"] as const;

/** The permission table, written down a second time: what the program has is held against it. */
export const grants = {
  "requests.read": { tenant: true, staff: roles, services: true, scope: "provisioning:read" },
  "requests.order": { tenant: true, staff: driving, services: true, seen: true, scope: "provisioning:write" },
  "requests.drive": { staff: driving, services: true },
  clusters: { staff: driving, services: true },
  "approval-rules.read": { staff: roles, services: true },
  "approval-rules.write": { staff: driving },
  "quotas.read": { tenant: true, staff: roles, services: true, scope: "quotas:read" },
  "quotas.write": { staff: ["ADMIN", "OPS", "SALES"] },
  "approvals.read": { tenant: true, staff: roles, services: true, scope: "provisioning:read" },
  "approvals.decide": { staff: ["ADMIN", "OPS", "FINANCE"], services: true },
  self: { tenant: true, staff: roles, services: true },
  "own.tenant": { tenant: true },
  "users.manage": { tenant: true, staff: ["ADMIN", "SECURITY"] },
  "products.read": { tenant: true, staff: roles, services: true, scope: "products:read" },
  "products.history": { staff: roles, services: true },
  "products.write": { staff: ["ADMIN", "PRODUCT"] },
} as const satisfies Record<string, Grant>;

/** Who and what a call can be made with: a customer, in whose tenant its target lies, and an ADMIN. */
export interface Scene {
  house: House;
  customer: Person;
  admin: Person;
}
type Made<T> = (scene: Scene) => T | Promise<T>;

export interface Endpoint {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in the OpenAPI document. */
  path: string;
  may: keyof typeof grants | "anyone";
  /** Of the call with `body` on a fresh `target`. */
  status: 200 | 201 | 202;
  /** Makes the record that `{id}` (or the first parameter of the path) names. */
  target?: Made<string>;
  /** In the place of a second parameter. */
  further?: string;
  /** The smallest body that is taken; absent: it takes none. */
  body?: Made<Record<string, unknown>>;
  /** It takes text of this media type in place of JSON. */
  text?: readonly [mediaType: string, body: () => string];
  /** The body may be left out. */
  bodyOptional?: true;
  headers?: Made<Record<string, string>>;
  /** What the query must hold, without the question mark. */
  query?: string;
  /** JSON pointer → a value that is refused there; `undefined` leaves the field out. */
  wrong?: readonly (readonly [pointer: string, value: unknown])[];
  /** Fields that the server sets: a body that names one is refused. */
  owned?: readonly string[];
  /** `data` is an array, and `meta` tells of the paging. */
  list?: true;
  /** The list is answered whole: it takes no paging. */
  whole?: true;
  /** `meta.facets` counts what was found. */
  facets?: true;
  /** Others may keep the answer for a while; it has an ETag of its own. */
  cacheable?: true;
  /** Where a call names its tenant, beside the token. */
  tenantIn?: "body" | "query" | "path";
  /** What a user of another tenant gets: their own, nothing, or no such record. Absent: see `tenantIn`. */
  foreign?: "own" | "empty" | "hidden";
  /** Where a caller is answered otherwise than the permission says. */
  answers?: Partial<Record<string, number>>;
  /** A document of its own, outside the envelope. */
  bare?: true;
  /** It answers text of this media type, outside the envelope. */
  gives?: string;
}

/** In values that are refused: no answer may hold it. */
export const neverEchoed = "do-not-echo-me";

/** The body with another value at a pointer; `undefined` takes the field out. */
export function withValue(body: Record<string, unknown>, pointer: string, value: unknown) {
  const copy = structuredClone(body);
  const keys = pointer.split("/").slice(1);
  const last = keys.pop() as string;
  const place = keys.reduce<any>((inner, key) => inner[key], copy);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

/** Whether the row's token decides who may call. */
export const needsToken = ({ may }: Endpoint) => may !== "anyone";
