import { ServiceError } from "./errors.ts";

/** The role groups. A user with one of them is staff; a user with none is a customer of their tenant. */
export const roles = ["ADMIN", "FINANCE", "SALES", "OPS", "SECURITY", "PRODUCT"] as const;
export type Role = (typeof roles)[number];

/** The roles that decide who else has which, and who may sign in. */
export const userManagers: readonly Role[] = ["ADMIN", "SECURITY"];

/** What an API key can be narrowed to. */
export const scopes = (
  [
    "provisioning",
    "dns",
    "quotas",
    "webhooks",
    "products",
    "notifications",
    "orders",
    "billing",
    "support",
  ] as const
).flatMap((area) => [`${area}:read`, `${area}:write`] as const);
export type Scope = (typeof scopes)[number];

/** Who asks: a signed-in user or a key of their tenant, another service, or Landfall itself (workers and timers). */
export interface Caller {
  readonly id: string;
  readonly kind: "user" | "service" | "system";
  /** Null for services and the system, which have no tenant of their own. */
  readonly tenantId: string | null;
  readonly roles: readonly Role[];
  /** What an API key is narrowed to; absent: nothing is. */
  readonly scopes?: readonly Scope[];
}

/** Landfall itself, as one of its services. */
export const systemCaller = (service: string): Caller => ({
  id: service,
  kind: "system",
  tenantId: null,
  roles: [],
});

interface Grant {
  /** The users of a tenant may, inside it. */
  tenant?: true;
  /** Staff with one of these roles may, in every tenant. */
  staff: readonly Role[];
  /** Service tokens may, in every tenant. */
  services?: true;
  /** The row that tells who may know of a record: to them a refusal says `forbidden`, to others `not_found`. */
  seenWith?: string;
  /** The scope that opens the row to a key with scopes; absent: it is closed to them. */
  scope?: Scope;
}

/** The permission table. Every route names one row. */
export const permissions = {
  "requests.read": { tenant: true, staff: roles, services: true, scope: "provisioning:read" },
  "requests.order": {
    tenant: true,
    staff: ["ADMIN", "OPS"],
    services: true,
    seenWith: "requests.read",
    scope: "provisioning:write",
  },
  "requests.drive": { staff: ["ADMIN", "OPS"], services: true },
  clusters: { staff: ["ADMIN", "OPS"], services: true },
  "approval-rules.read": { staff: roles, services: true },
  "approval-rules.write": { staff: ["ADMIN", "OPS"] },
  "quotas.read": { tenant: true, staff: roles, services: true, scope: "quotas:read" },
  "quotas.write": { staff: ["ADMIN", "OPS", "SALES"] },
  "approvals.read": { tenant: true, staff: roles, services: true, scope: "provisioning:read" },
  "approvals.decide": { staff: ["ADMIN", "OPS", "FINANCE"], services: true },
  "self.read": { tenant: true, staff: roles, services: true },
  "api-keys.own": { tenant: true, staff: [] },
  "users.manage": { tenant: true, staff: userManagers },
  "products.read": { tenant: true, staff: roles, services: true, scope: "products:read" },
  "products.history": { staff: roles, services: true },
  "products.write": { staff: ["ADMIN", "PRODUCT"] },
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof permissions;

/** The tenants a call may touch: one tenant's id, or `null` for all of them. */
export type TenantScope = string | null;

/** Decides how far a caller reaches with a permission; throws `forbidden` when not at all. */
export function reach(caller: Caller, permission: Permission): TenantScope {
  const tenants = extent(caller, permission);
  if (tenants === undefined) throw new ServiceError("forbidden", "Your role does not allow this.");
  return tenants;
}

/** Of which tenants a caller who wants to use a permission may know the records; at least of those it reaches. */
export function sight(caller: Caller, permission: Permission): TenantScope {
  const { seenWith }: Grant = permissions[permission];
  const seen = seenWith && extent(caller, seenWith as Permission);
  return seen === undefined ? reach(caller, permission) : seen;
}

function extent(caller: Caller, permission: Permission): TenantScope | undefined {
  const grant: Grant = permissions[permission];
  if (caller.kind === "system") return null;
  if (caller.scopes && !caller.scopes.some((scope) => scope === grant.scope)) return undefined;
  if (caller.kind === "service") return grant.services ? null : undefined;
  if (caller.roles.some((role) => grant.staff.includes(role))) return null;
  return grant.tenant && caller.tenantId !== null ? caller.tenantId : undefined;
}

/** Whether a record of `tenantId` lies inside the scope. A record outside is answered as `not_found`. */
export const within = (scope: TenantScope, tenantId: string | null): boolean =>
  scope === null || scope === tenantId;
