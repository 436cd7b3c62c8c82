import type { ApiKey, ApiKeyState } from "../../schema/identity/api-key.ts";
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

/** An API key as it is answered; `key` at its creation alone. */
export function apiKeyView(
  { keyHash, lastUsedAt, createdAt, updatedAt, ...shown }: ApiKeyState,
  key?: string,
): ApiKey {
  return {
    ...shown,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(key ? { key } : {}),
  };
}
