import { invalid, ServiceError } from "../../schema/errors.ts";
import { type ApiKeyState, apiKeys } from "../../schema/identity/api-key.ts";
import type { Caller } from "../../schema/permissions.ts";
import { type Decision, defineActor, type Moment } from "../runtime/actor.ts";

/** A credential of a tenant or a service. */
export const apiKey = defineActor({
  name: "API key",
  service: "identity",
  table: apiKeys,
  audited: false,
  accepts: { create: "new", use: "any", delete: "any" },
  quiet: ["use"],
  commands: { create, use, delete: remove },
});

type NewApiKey = Pick<ApiKeyState, "tenantId" | "name" | "kind" | "keyHash" | "scopes" | "expiresAt">;

function create(
  _: ApiKeyState,
  input: NewApiKey,
  __: unknown,
  { id, now, caller }: Moment,
): Decision<ApiKeyState> {
  const { name, kind, scopes, expiresAt } = input;
  if (kind === "service") needsAdmin(caller);
  // What a service may is decided by the table of permissions, whatever its key says.
  if (kind === "service" && scopes?.length) throw wrong("/scopes", "Is for keys of kind tenant.");
  if (expiresAt && expiresAt <= now) throw wrong("/expiresAt", "Must lie in the future.");
  return {
    set: { ...input, createdBy: caller.id, lastUsedAt: null },
    emit: [{ topic: "identity.api-key-created", data: { apiKeyId: id, name, kind } }],
  };
}

function remove({ kind }: ApiKeyState, _: unknown, __: unknown, { caller }: Moment): Decision<ApiKeyState> {
  if (kind === "service") needsAdmin(caller);
  return { remove: true };
}

function needsAdmin({ roles }: Caller): void {
  if (!roles.includes("ADMIN"))
    throw new ServiceError("forbidden", "A key of kind service needs the role ADMIN.");
}

const wrong = (pointer: string, message: string) => invalid([{ pointer, message }]);

const noteEveryMs = 60_000;

/** Whether the last use that is noted is so old that the next one is noted too. */
export const isWorthNoting = ({ lastUsedAt }: ApiKeyState, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= noteEveryMs;

function use(state: ApiKeyState, _: unknown, __: unknown, { now }: Moment): Decision<ApiKeyState> {
  return isWorthNoting(state, now) ? { set: { lastUsedAt: now } } : {};
}
