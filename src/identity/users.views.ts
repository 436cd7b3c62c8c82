import type { User, UserState } from "../../schema/identity/user.ts";

/** A user as it is answered: never the password's hash. */
export function userView(state: UserState): User {
  const { id, email, name, tenantId, roles, emailVerified, mfaEnabled, disabled, lockedUntil } = state;
  return {
    ...{ id, email, name, tenantId, roles, emailVerified, mfaEnabled, disabled },
    lockedUntil: lockedUntil?.toISOString() ?? null,
    createdAt: state.createdAt.toISOString(),
    updatedAt: state.updatedAt.toISOString(),
  };
}
