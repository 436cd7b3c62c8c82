import { eq } from "drizzle-orm";
import * as v from "valibot";
import { ServiceError } from "../../schema/errors.ts";
import { type User, type UserState, users } from "../../schema/identity/user.ts";
import { exampleId, ForeignId, text } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { findRecord, only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { userView } from "./users.views.ts";

/** What the list of users can be asked for. */
export const ListUsers = listQuery(["-createdAt", "createdAt"], {
  tenantId: v.optional(v.pipe(ForeignId, v.description("Those of this tenant."), v.examples([exampleId]))),
  email: v.optional(
    v.pipe(
      text(1, 254),
      v.toLowerCase(),
      v.description("The whole address, in any case."),
      v.examples(["ada@example.com"]),
    ),
  ),
});

/** A page of the users in the caller's scope. */
export async function listUsers(
  world: World,
  call: Call,
  { tenantId, email, ...page }: v.InferOutput<typeof ListUsers>,
): Promise<User[]> {
  const where = [only(users.tenantId, call.scope), only(users.tenantId, tenantId), only(users.email, email)];
  const listed = { table: users, columns: { createdAt: users.createdAt }, where };
  return (await listPage(world, call, listed, page)).map(userView);
}

/** One user; throws `not_found` when there is none in the caller's scope. */
export const findUser = (world: World, { scope }: Call, id: string): Promise<UserState> =>
  findRecord(world, users, scope, id, "user");

/** The user that a token was given to; a service and an API key are none. */
export async function findMyself({ db }: World, { caller }: Call): Promise<UserState> {
  const [found] = caller.kind === "user" ? await db.select().from(users).where(eq(users.id, caller.id)) : [];
  if (!found) throw new ServiceError("not_found", "These credentials belong to no user.");
  return found;
}
