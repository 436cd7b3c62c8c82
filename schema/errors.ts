/** Every error code of the platform with its HTTP status and title (RFC 9457). Only `src/http` speaks HTTP. */
export const errorCodes = {
  malformed_json: [400, "The body is not JSON"],
  bad_request: [400, "Bad request"],
  unauthenticated: [401, "Authentication is needed"],
  token_expired: [401, "The token has expired"],
  invalid_credentials: [401, "The credentials are wrong"],
  mfa_required: [401, "A second factor is needed"],
  payment_required: [402, "Payment is required"],
  forbidden: [403, "Not permitted"],
  tenant_mismatch: [403, "Another tenant is named"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  invalid_transition: [409, "The state does not allow this command"],
  version_conflict: [409, "The record has changed"],
  already_exists: [409, "It exists already"],
  already_decided: [409, "It is decided already"],
  in_use: [409, "It is in use"],
  retry_limit: [409, "No retries are left"],
  idempotency_in_progress: [409, "The same request is still running"],
  precondition_failed: [412, "The version is stale"],
  body_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The media type is not supported"],
  validation_failed: [422, "Validation failed"],
  quota_exceeded: [422, "The quota is exceeded"],
  idempotency_mismatch: [422, "The idempotency key was used for another request"],
  account_locked: [423, "The account is locked"],
  rate_limited: [429, "Too many requests"],
  internal: [500, "Internal error"],
  upstream_failed: [502, "An upstream service failed"],
  unavailable: [503, "Temporarily unavailable"],
  upstream_timeout: [504, "An upstream service did not answer in time"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof errorCodes;

/** One wrong place in a request: `pointer` is a JSON pointer into the body, or `query/<name>`, `path/<name>`, `header/<name>`. */
export interface FieldError {
  pointer: string;
  message: string;
}

/** What an error may carry beside its code and sentence: members that are shown to the client. */
export interface ErrorExtra {
  errors?: FieldError[];
  [member: string]: unknown;
}

/** A refusal that the client is meant to see. `message` is one plain sentence that never echoes input. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: ErrorExtra = {},
    /** Header fields of its answer. */
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** A unique key is taken. */
export const alreadyExists = () => new ServiceError("already_exists", "There is such a record already.");

/** An `Idempotency-Key` that came with another body or query before. */
export const idempotencyMismatch = () =>
  new ServiceError("idempotency_mismatch", "This Idempotency-Key was used with another body or query.");

/** Which of the two is never told. */
export const wrongCredentials = () =>
  new ServiceError("invalid_credentials", "The address or the password is wrong.");

/** A request that fails its schema or a rule on its fields, with every wrong place. */
export const invalid = (errors: FieldError[]) =>
  new ServiceError("validation_failed", "The request has fields that are not valid.", { errors });

/** No such record, or one of another tenant: which of the two is never told. */
export const notFound = (what: string) => new ServiceError("not_found", `There is no ${what} with this id.`);
