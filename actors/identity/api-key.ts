import { type ApiKeyState, apiKeys } from "../../schema/identity/api-key.ts";
import { type Decision, defineActor, type Moment } from "../runtime/actor.ts";

/** A credential of a tenant or a service. */
export const apiKey = defineActor({
  name: "API key",
  service: "identity",
  table: apiKeys,
  audited: false,
  accepts: { create: "new", use: "any" },
  quiet: ["use"],
  commands: {
    create,
    use: (_: ApiKeyState, __: unknown, ___: unknown, { now }: Moment) => ({ set: { lastUsedAt: now } }),
  },
});

type NewApiKey = Pick<ApiKeyState, "tenantId" | "name" | "kind" | "keyHash">;

function create(
  _: ApiKeyState,
  input: NewApiKey,
  __: unknown,
  { id, caller }: Moment,
): Decision<ApiKeyState> {
  const { name, kind } = input;
  return {
    set: { ...input, createdBy: caller.id, lastUsedAt: null },
    emit: [{ topic: "identity.api-key-created", data: { apiKeyId: id, name, kind } }],
  };
}
