import { boolean, index, json, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { exactText, id, instant, label, longText, recordColumns } from "../columns.ts";
import { type Role, roles } from "../permissions.ts";
import { ForeignId, Id, object, Timestamp, text, textLike } from "../values.ts";

export const users = mysqlTable(
  "users",
  {
    ...recordColumns,
    tenantId: id().notNull(),
    /** In lower case: addresses compare without case. */
    email: exactText({ length: 254 }).notNull(),
    name: label({ length: 200 }).notNull(),
    roles: json().$type<Role[]>().notNull(),
    /** argon2id, PHC string. */
    passwordHash: longText(),
    emailVerified: boolean().notNull(),
    mfaEnabled: boolean().notNull(),
    disabled: boolean().notNull(),
    lockedUntil: instant(),
    lastLoginAt: instant(),
  },
  (t) => [
    uniqueIndex("users_email").on(t.email),
    index("users_tenant").on(t.tenantId, t.createdAt, t.id),
    index("users_created").on(t.createdAt, t.id),
  ],
);
export type UserState = typeof users.$inferSelect;

const Email = v.pipe(
  v.string(),
  v.maxLength(254, "Must have at most 254 characters."),
  v.email("Must be an e-mail address."),
  v.toLowerCase(),
  v.examples(["ada@example.com"]),
);
const Password = v.pipe(
  text(12, 128),
  v.description("12 to 128 characters."),
  v.examples(["correct horse battery"]),
);

const Name = v.pipe(text(1, 200), v.examples(["Ada Lovelace"]));

export const Register = v.pipe(
  object({
    email: Email,
    password: Password,
    name: Name,
    tenantName: v.optional(
      v.pipe(text(1, 200), v.description("Name of the new tenant; absent: the user's name.")),
    ),
  }),
  v.title("Register"),
);
export type Register = v.InferOutput<typeof Register>;

export const Login = v.pipe(
  object({
    email: v.pipe(
      v.string(),
      v.maxLength(254, "Must have at most 254 characters."),
      v.toLowerCase(),
      v.examples(["ada@example.com"]),
    ),
    password: v.pipe(
      v.string(),
      v.maxLength(1024, "Must have at most 1024 characters."),
      v.examples(["correct horse battery"]),
    ),
    otp: v.optional(v.string()),
    recoveryCode: v.optional(v.string()),
  }),
  v.title("Login"),
);
export type Login = v.InferOutput<typeof Login>;

const Roles = v.pipe(
  v.array(v.picklist(roles, "Is not a known role.")),
  v.maxLength(roles.length, `Must be ${roles.length} or fewer.`),
  v.description("Staff have some, customers none. Only ADMIN and SECURITY give them."),
  v.examples([["OPS"]]),
);

export const CreateUser = v.pipe(
  object({
    email: Email,
    name: text(1, 200),
    password: Password,
    tenantId: v.optional(v.pipe(ForeignId, v.description("Absent: your own tenant."))),
    roles: v.optional(Roles),
  }),
  v.title("UserCreate"),
  v.examples([{ email: "grace@example.com", name: "Grace Hopper", password: "correct horse battery" }]),
);
export type CreateUser = v.InferOutput<typeof CreateUser>;

export const UpdateUser = v.pipe(
  object({
    name: v.optional(text(1, 200)),
    roles: v.optional(Roles),
    disabled: v.optional(
      v.pipe(
        v.boolean("Must be true or false."),
        v.description("A disabled user can't sign in. Only ADMIN and SECURITY decide it."),
      ),
    ),
  }),
  v.title("UserUpdate"),
  v.examples([{ name: "Grace Hopper" }]),
);
export type UpdateUser = v.InferOutput<typeof UpdateUser>;

export const User = v.pipe(
  object({
    id: Id,
    email: textLike("ada@example.com"),
    name: textLike("Ada Lovelace"),
    tenantId: Id,
    roles: v.pipe(v.array(v.picklist(roles)), v.description("Empty for a customer.")),
    emailVerified: v.boolean(),
    mfaEnabled: v.boolean(),
    disabled: v.boolean(),
    lockedUntil: v.nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("User"),
);
export type User = v.InferOutput<typeof User>;

export const ServiceToken = v.pipe(
  object({
    accessToken: v.pipe(textLike("eyJhbGciOiJFUzI1NiJ9…"), v.description("ES256 JWT, valid for 15 minutes.")),
    tokenType: v.literal("Bearer"),
    expiresIn: v.pipe(v.number(), v.description("Seconds.")),
  }),
  v.title("ServiceToken"),
);

export const SignedIn = v.pipe(
  object({
    user: User,
    ...ServiceToken.pipe[0].entries,
    refreshToken: v.pipe(textLike("rt_p3Vn8Q…"), v.description("Valid for 7 days, for one use.")),
  }),
  v.title("SignedIn"),
);
