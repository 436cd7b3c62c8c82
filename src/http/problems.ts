import { type ErrorCode, errorCodes, ServiceError } from "../../schema/errors.ts";
import { isConnectionError, type Log, Unavailable } from "../../schema/world.ts";

/** Which request an answer belongs to. */
export interface Asked {
  path: string;
  requestId: string;
}

const headersOf: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { "WWW-Authenticate": "Bearer" },
  token_expired: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  invalid_credentials: { "WWW-Authenticate": "Bearer" },
  mfa_required: { "WWW-Authenticate": "Bearer" },
  unavailable: { "Retry-After": "1" },
};

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isConnectionError(error)) return new Unavailable("The database is away.");
  return new ServiceError("internal", "Something went wrong on our side.");
}

/** The answer to a refused or failed request: RFC 9457. What is not a `ServiceError` is logged whole and answered blank. */
export function problem(error: unknown, { path, requestId }: Asked, log: Log): Response {
  const known = refusalOf(error);
  const [status, title] = errorCodes[known.code];
  if (status >= 500) log.error("request failed", { requestId, path, error });
  const body = {
    type: `urn:landfall:problem:${known.code}`,
    title,
    status,
    detail: known.message,
    instance: path,
    code: known.code,
    ...known.extra,
    meta: { request_id: requestId, timestamp: new Date().toISOString() },
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      ...headersOf[known.code],
      ...known.headers,
    },
  });
}
