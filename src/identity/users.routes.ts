import { Elysia } from "elysia";
import * as v from "valibot";
import { user } from "../../actors/identity/user.ts";
import { CreateUser, UpdateUser, User } from "../../schema/identity/user.ts";
import type { Call } from "../http/call.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { hashPassword } from "./secrets.ts";
import { findMyself, findUser, ListUsers, listUsers } from "./users.queries.ts";
import { userView } from "./users.views.ts";

const common = { tag: "Users", may: "users.manage", answer: User } as const;
const one = { ...common, errors: ["not_found"] } as const;

export const userRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/identity" })
    .use(idiom(landfall))
    .get(
      "/me",
      async ({ call }) => userView(await findMyself(world, call)),
      endpoint({ id: "getMe", ...one, tag: "Sign-in", may: "self.read", summary: "The signed-in user" }),
    )
    .get(
      "/users",
      ({ call, query }) => listUsers(world, call, query),
      endpoint({
        id: "listUsers",
        ...common,
        summary: "List users",
        description: "Those of your tenant; ADMIN and SECURITY see all.",
        query: ListUsers,
        answer: v.array(User),
        list: true,
      }),
    )
    .post(
      "/users",
      ({ call, body }) => createUser(call, body),
      endpoint({
        id: "createUser",
        ...one,
        summary: "Create a user",
        description: "In your own tenant; ADMIN and SECURITY in any, and with roles.",
        body: CreateUser,
        statuses: [201],
        errors: ["not_found", "already_exists"],
      }),
    )
    .get(
      "/users/:id",
      async ({ call, params }) => userView(await findUser(world, call, params.id)),
      endpoint({ id: "getUser", ...one, summary: "Get a user by ID" }),
    )
    .patch(
      "/users/:id",
      ({ call, params, body }) =>
        call.send(user.update, params.id, { by: call.caller.id, ...body }, userView),
      endpoint({
        id: "updateUser",
        ...one,
        summary: "Update a user",
        description:
          "Roles count from the user's next sign-in or refresh. Only ADMIN and SECURITY give roles and disable, and nobody takes that right from themselves.",
        body: UpdateUser,
        errors: ["not_found", "precondition_failed"],
      }),
    );
};

async function createUser(
  call: Call,
  { password, tenantId = call.caller.tenantId as string, ...account }: CreateUser,
): Promise<User> {
  const input = {
    ...account,
    tenantId,
    by: call.caller.id,
    passwordHash: await hashPassword(password),
  };
  return call.send(user.create, undefined, input, userView, 201);
}
