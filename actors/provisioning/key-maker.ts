import { and, eq, inArray } from "drizzle-orm";
import { apiKeys } from "../../schema/identity/api-key.ts";
import type { Fact } from "../runtime/actor.ts";

/** Who has made the tenant's API key with this id; null where it is none, or is gone. */
export const keyMaker: Fact<string, string | null> = {
  async read(db, ids) {
    const found = await db
      .select({ id: apiKeys.id, createdBy: apiKeys.createdBy })
      .from(apiKeys)
      .where(and(inArray(apiKeys.id, [...new Set(ids)]), eq(apiKeys.kind, "tenant")));
    const makers = new Map(found.map(({ id, createdBy }) => [id, createdBy]));
    return (id) => makers.get(id) ?? null;
  },
};
