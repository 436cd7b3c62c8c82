import { inArray } from "drizzle-orm";
import { notFound, ServiceError, wrongCredentials } from "../../schema/errors.ts";
import { tenants } from "../../schema/identity/tenant.ts";
import { type UserState, users } from "../../schema/identity/user.ts";
import { type Role, userManagers } from "../../schema/permissions.ts";
import { isId } from "../../schema/values.ts";
import {
  ask,
  type Decision,
  defineActor,
  type Fact,
  type Moment,
  type OtherChange,
} from "../runtime/actor.ts";
import { type StoredToken, session } from "./session.ts";
import { tenant } from "./tenant.ts";

/** Which of these addresses have an account. */
const takenEmails: Fact<string, boolean> = {
  async read(db, emails) {
    const found = await db.select({ email: users.email }).from(users).where(inArray(users.email, emails));
    const taken = new Set(found.map(({ email }) => email));
    return (email) => taken.has(email);
  },
};

/** Which of these tenants there are. */
const knownTenants: Fact<string, boolean> = {
  async read(db, ids) {
    const found = await db
      .select({ id: tenants.id })
      .from(tenants)
      .where(inArray(tenants.id, ids.filter(isId)));
    const known = new Set(found.map(({ id }) => id));
    return (id) => known.has(id);
  },
};

const person = { name: "user", service: "identity", table: users, audited: false };

/** A person who signs in. */
export const user = defineActor({
  ...person,
  accepts: { register: "new", create: "new", "sign-in": "any", update: "any" },
  quiet: ["sign-in"],
  commands: { register, create, "sign-in": signIn, update },
  locks: { create: managed, update: managed },
  facts: {
    register: (_, { email }) => ({ taken: ask(takenEmails, email) }),
    create: (_, { email, tenantId }) => ({
      taken: ask(takenEmails, email),
      known: ask(knownTenants, tenantId),
    }),
  },
});

/** A new session's id and its first refresh token. */
export interface NewSession extends StoredToken {
  id: string;
}

interface Account {
  email: string;
  name: string;
  /** PHC string. */
  passwordHash: string;
}

export interface NewUser extends Account {
  /** The tenant that is made with the user. */
  tenantName: string;
  roles: Role[];
  session?: NewSession;
}

/** A new tenant with its first user. */
function register(
  _: UserState,
  { tenantName, session, ...account }: NewUser,
  { taken }: { taken: boolean },
  moment: Moment,
): Decision<UserState> {
  const tenantId = moment.newId();
  return {
    ...made({ ...account, tenantId }, taken, moment),
    also: [
      { actor: tenant, id: tenantId, set: { name: tenantName }, create: true },
      ...(session ? [opened(session, moment)] : []),
    ],
  };
}

/** What is asked of a user's standing, and by whom: their record is locked, so that it says what they may now. */
interface Standing {
  by: string;
  roles?: Role[] | undefined;
  disabled?: boolean | undefined;
}
const touchesStanding = ({ roles, disabled }: Standing) => roles !== undefined || disabled !== undefined;

function managed(input: Standing) {
  return touchesStanding(input) ? [[person, input.by] as const] : [];
}

/**
 * Two who manage users can't take it from each other at once: the second one is none any more. As nobody takes
 * it from themselves, there is always one who can give it back.
 */
function mayDecide(input: Standing, { locked }: Moment): void {
  if (!touchesStanding(input)) return;
  const by = locked(person, input.by) as UserState | null;
  if (!by || !manages(by))
    throw new ServiceError("forbidden", "Only ADMIN and SECURITY decide on roles and who is disabled.");
}

const manages = ({ disabled, roles }: UserState) =>
  !disabled && roles.some((role) => userManagers.includes(role));

/** A user made by another, who is in the tenant or manages users. */
function create(
  _: UserState,
  { by, roles, ...account }: Account & { tenantId: string } & Standing,
  { taken, known }: { taken: boolean; known: boolean },
  moment: Moment,
): Decision<UserState> {
  mayDecide({ by, roles }, moment);
  if (!known) throw notFound("tenant");
  return made({ ...account, roles: once(roles ?? []) }, taken, moment);
}

const once = (roles: Role[]) => [...new Set(roles)];

function made(
  account: Account & { tenantId: string; roles: Role[] },
  taken: boolean,
  { id }: Moment,
): Decision<UserState> {
  if (taken) throw new ServiceError("already_exists", "There is an account with this address already.");
  return {
    set: {
      ...account,
      ...{ emailVerified: false, mfaEnabled: false, disabled: false, lockedUntil: null, lastLoginAt: null },
    },
    emit: [{ topic: "identity.user-registered", data: { userId: id, email: account.email } }],
  };
}

function update(
  state: UserState,
  { by, ...changes }: { name?: string | undefined } & Standing,
  _: unknown,
  moment: Moment,
): Decision<UserState> {
  mayDecide({ by, ...changes }, moment);
  if (Object.values(changes).every((change) => change === undefined)) return {};
  const { name = state.name, roles = state.roles, disabled = state.disabled } = changes;
  const set = { name, roles: once(roles), disabled };
  if (by === state.id && manages(state) && !manages({ ...state, ...set }))
    throw new ServiceError("forbidden", "Nobody takes the managing of users from themselves.");
  return { set };
}

interface SignIn {
  session: NewSession;
  /** What the password was checked against. */
  passwordHash: string | null;
}

function signIn(
  { email, disabled, passwordHash }: UserState,
  input: SignIn,
  _: unknown,
  moment: Moment,
): Decision<UserState> {
  // Checking a password takes a while, in which the user may have been disabled or given another.
  if (disabled || passwordHash !== input.passwordHash) throw wrongCredentials();
  return {
    set: { lastLoginAt: moment.now },
    also: [opened(input.session, moment)],
    emit: [{ topic: "identity.user-logged-in", data: { userId: moment.id, email } }],
  };
}

const opened = ({ id, ...token }: NewSession, { id: userId }: Moment): OtherChange => ({
  actor: session,
  id,
  set: { userId, ...token, endedAt: null },
  create: true,
});
