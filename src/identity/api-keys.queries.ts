import { eq } from "drizzle-orm";
import type * as v from "valibot";
import { type ApiKey, apiKeys } from "../../schema/identity/api-key.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { apiKeyView } from "./api-keys.views.ts";

export const ListApiKeys = listQuery(["-createdAt", "createdAt"], {});

/** A page of the keys of the caller's tenant. */
export async function listApiKeys(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListApiKeys>,
): Promise<ApiKey[]> {
  const where = [eq(apiKeys.tenantId, call.caller.tenantId ?? "")];
  const listed = { table: apiKeys, columns: { createdAt: apiKeys.createdAt }, where };
  return (await listPage(world, call, listed, query)).map((row) => apiKeyView(row));
}
