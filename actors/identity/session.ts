import { and, eq, inArray } from "drizzle-orm";
import { ServiceError } from "../../schema/errors.ts";
import { type SessionState, sessions } from "../../schema/identity/session.ts";
import { users } from "../../schema/identity/user.ts";
import { ask, type Decision, defineActor, type Fact, type Moment } from "../runtime/actor.ts";

/** Which of these users are disabled. */
const disabledUsers: Fact<string, boolean> = {
  async read(db, ids) {
    const disabled = and(inArray(users.id, ids), eq(users.disabled, true));
    const found = new Set(
      (await db.select({ id: users.id }).from(users).where(disabled)).map(({ id }) => id),
    );
    return (id) => found.has(id);
  },
};

/** One sign-in: the family of refresh tokens that follow from it. */
export const session = defineActor({
  name: "session",
  service: "identity",
  table: sessions,
  audited: false,
  accepts: { rotate: "any", end: "any" },
  commands: { rotate, end },
  facts: { rotate: (state) => ({ disabled: ask(disabledUsers, state?.userId ?? "") }) },
});

/** What is stored of a refresh token. */
export interface StoredToken {
  tokenHash: string;
  expiresAt: Date;
}

interface Rotation {
  /** Hash of the token that was sent. */
  usedHash: string;
  next: StoredToken;
}

/** The session goes on with the next token, or it ends: who sent the used one has to look which. */
function rotate(
  { tokenHash, expiresAt, endedAt }: SessionState,
  { usedHash, next }: Rotation,
  { disabled }: { disabled: boolean },
  { now }: Moment,
): Decision<SessionState> {
  if (endedAt !== null || expiresAt <= now)
    throw new ServiceError("unauthenticated", "The refresh token is not valid.");
  // A token that comes twice is in two hands. This ends the session by a commit, which a refusal would undo.
  const twice = tokenHash !== usedHash;
  if (twice || disabled) return { set: { endedAt: now } };
  return { set: { tokenHash: next.tokenHash, expiresAt: next.expiresAt } };
}

function end({ endedAt }: SessionState, _: unknown, __: unknown, { now }: Moment): Decision<SessionState> {
  return endedAt === null ? { set: { endedAt: now } } : {};
}
