import { inArray } from "drizzle-orm";
import { ServiceError } from "../../schema/errors.ts";
import { sessions } from "../../schema/identity/session.ts";
import { tenants } from "../../schema/identity/tenant.ts";
import { type UserState, users } from "../../schema/identity/user.ts";
import type { Role } from "../../schema/permissions.ts";
import {
  type Actor,
  ask,
  type Decision,
  defineActor,
  type Fact,
  type Moment,
  type OtherChange,
} from "../runtime/actor.ts";

export const tenant: Actor = { name: "tenant", service: "identity", table: tenants, audited: false };
export const session: Actor = { name: "session", service: "identity", table: sessions, audited: false };

/** Which of these addresses have an account. */
const takenEmails: Fact<string, boolean> = {
  async read(db, emails) {
    const found = await db.select({ email: users.email }).from(users).where(inArray(users.email, emails));
    const taken = new Set(found.map(({ email }) => email));
    return (email) => taken.has(email);
  },
};

/** A person who signs in. */
export const user = defineActor({
  name: "user",
  service: "identity",
  table: users,
  audited: false,
  accepts: { register: "new", "sign-in": "any" },
  quiet: ["sign-in"],
  commands: { register, "sign-in": signIn },
  facts: { register: (_, { email }) => ({ taken: ask(takenEmails, email) }) },
});

/** The hash of a new refresh token, and when it ends. */
export interface NewSession {
  tokenHash: string;
  expiresAt: Date;
}

export interface NewUser {
  email: string;
  name: string;
  /** PHC string. */
  passwordHash: string;
  /** The tenant that is made with the user. */
  tenantName: string;
  roles: Role[];
  session?: NewSession;
}

/** A new tenant with its first user. */
function register(
  _: UserState,
  input: NewUser,
  { taken }: { taken: boolean },
  moment: Moment,
): Decision<UserState> {
  if (taken) throw new ServiceError("already_exists", "There is an account with this address already.");
  const { email, name, passwordHash, tenantName, roles } = input;
  const tenantId = moment.newId();
  return {
    set: {
      ...{ tenantId, email, name, roles, passwordHash },
      ...{ emailVerified: false, mfaEnabled: false, disabled: false, lockedUntil: null, lastLoginAt: null },
    },
    also: [
      { actor: tenant, id: tenantId, set: { name: tenantName }, create: true },
      ...(input.session ? [opened(input.session, moment)] : []),
    ],
    emit: [{ topic: "identity.user-registered", data: { userId: moment.id, email } }],
  };
}

function signIn({ email }: UserState, input: NewSession, _: unknown, moment: Moment): Decision<UserState> {
  return {
    set: { lastLoginAt: moment.now },
    also: [opened(input, moment)],
    emit: [{ topic: "identity.user-logged-in", data: { userId: moment.id, email } }],
  };
}

const opened = (input: NewSession, { id, newId }: Moment): OtherChange => ({
  actor: session,
  id: newId(),
  set: { userId: id, ...input, endedAt: null },
  create: true,
});
