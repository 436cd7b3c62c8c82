import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import * as v from "valibot";
import { apiKey } from "../../actors/identity/api-key.ts";
import { ServiceError } from "../../schema/errors.ts";
import { ApiKey, apiKeys, CreateApiKey } from "../../schema/identity/api-key.ts";
import { User, users } from "../../schema/identity/user.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import { listPage, listQuery } from "../http/paging.ts";
import type { Landfall } from "../landfall.ts";
import { newSecret } from "./secrets.ts";
import { apiKeyView, userView } from "./users.views.ts";

const ListApiKeys = listQuery(["-createdAt", "createdAt"], {});

export const accountRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/identity" })
    .use(idiom(landfall))
    .get(
      "/me",
      ({ call }) => me(world, call),
      endpoint({
        id: "getMe",
        tag: "Sign-in",
        may: "self.read",
        summary: "The signed-in user",
        answer: User,
        errors: ["not_found"],
      }),
    )
    .get(
      "/api-keys",
      ({ call, query }) => listApiKeys(world, call, query),
      endpoint({
        id: "listApiKeys",
        tag: "API keys",
        may: "api-keys.own",
        summary: "List the tenant's API keys",
        query: ListApiKeys,
        answer: v.array(ApiKey),
        list: true,
      }),
    )
    .post(
      "/api-keys",
      ({ call, body }) => createApiKey(call, body),
      endpoint({
        id: "createApiKey",
        tag: "API keys",
        may: "api-keys.own",
        summary: "Create an API key",
        description: "The key itself is shown in this answer alone.",
        body: CreateApiKey,
        answer: ApiKey,
        statuses: [201],
        errors: ["idempotency_mismatch"],
      }),
    );
};

async function me(world: World, { caller }: Call): Promise<User> {
  const [found] =
    caller.kind === "user" ? await world.db.select().from(users).where(eq(users.id, caller.id)) : [];
  if (!found) throw new ServiceError("not_found", "This token belongs to no user.");
  return userView(found);
}

async function listApiKeys(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListApiKeys>,
): Promise<ApiKey[]> {
  const where = [eq(apiKeys.tenantId, call.caller.tenantId ?? "")];
  const rows = await listPage(
    world,
    call,
    { table: apiKeys, columns: { createdAt: apiKeys.createdAt }, where },
    query,
  );
  return rows.map((row) => apiKeyView(row));
}

function createApiKey(call: Call, { name, kind }: CreateApiKey): Promise<ApiKey> {
  if (kind === "service" && !call.caller.roles.includes("ADMIN")) {
    throw new ServiceError("forbidden", "A key of kind service needs the role ADMIN.");
  }
  const { secret, hash } = newSecret("lf_");
  const tenantId = call.caller.tenantId as string;
  return call.send(
    apiKey.create,
    undefined,
    { tenantId, name, kind, keyHash: hash },
    (state) => apiKeyView(state, secret),
    201,
  );
}
