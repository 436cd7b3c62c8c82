import type { ApiKey, ApiKeyState } from "../../schema/identity/api-key.ts";

/** An API key as it is answered; `key` at its creation alone. */
export function apiKeyView(
  { keyHash, scopes, expiresAt, lastUsedAt, createdAt, updatedAt, ...shown }: ApiKeyState,
  key?: string,
): ApiKey {
  return {
    ...shown,
    scopes: scopes ?? [],
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(key ? { key } : {}),
  };
}
