import { Elysia } from "elysia";
import * as v from "valibot";
import { apiKey } from "../../actors/identity/api-key.ts";
import { ApiKey, CreateApiKey } from "../../schema/identity/api-key.ts";
import { Deleted } from "../../schema/values.ts";
import type { Call } from "../http/call.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { ListApiKeys, listApiKeys } from "./api-keys.queries.ts";
import { apiKeyView } from "./api-keys.views.ts";
import { newSecret } from "./secrets.ts";

const common = { tag: "API keys", may: "api-keys.own" } as const;

export const apiKeyRoutes = (landfall: Landfall) =>
  new Elysia({ prefix: "/identity/api-keys" })
    .use(idiom(landfall))
    .get(
      "",
      ({ call, query }) => listApiKeys(landfall.world, call, query),
      endpoint({
        id: "listApiKeys",
        ...common,
        summary: "List the tenant's API keys",
        query: ListApiKeys,
        answer: v.array(ApiKey),
        list: true,
      }),
    )
    .post(
      "",
      ({ call, body }) => createApiKey(call, body),
      endpoint({
        id: "createApiKey",
        ...common,
        summary: "Create an API key",
        description:
          "The key itself is shown in this answer alone. A `tenant` key goes in `X-API-Key` in place of a token and acts as the tenant's users do.",
        body: CreateApiKey,
        answer: ApiKey,
        statuses: [201],
      }),
    )
    .delete(
      "/:id",
      ({ call, params }) =>
        call.send(apiKey.delete, params.id, {}, ({ id }) => ({ id, deleted: true as const })),
      endpoint({
        id: "deleteApiKey",
        ...common,
        summary: "Delete an API key",
        description:
          "It is refused from now on; a service token that it was exchanged for lasts to its end, 15 minutes at most.",
        answer: Deleted,
        errors: ["not_found", "precondition_failed"],
      }),
    );

function createApiKey(
  call: Call,
  { name, kind, scopes = [], expiresAt }: v.InferOutput<typeof CreateApiKey>,
): Promise<ApiKey> {
  const { secret, hash } = newSecret("lf_");
  const input = {
    tenantId: call.caller.tenantId as string,
    ...{ name, kind, scopes, keyHash: hash },
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  };
  return call.send(apiKey.create, undefined, input, (state) => apiKeyView(state, secret), 201);
}
