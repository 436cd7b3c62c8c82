import type { Config } from "../config.ts";

/** Cross-origin resource sharing (Fetch standard, section 3.3). */
export interface Cors {
  /** Whether a request asks what it may send before it sends it. */
  isPreflight(request: Request): boolean;
  /** What the answer to a preflight carries: nothing for a foreign origin. */
  preflight(request: Request): Record<string, string>;
  /** Lets scripts of an allowed origin read an answer. */
  share(request: Request, answer: Headers): void;
}

const allowed = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, X-API-Key, X-Request-ID, X-Correlation-ID, traceparent",
  "Access-Control-Max-Age": "86400",
};
const readable =
  "Deprecation, ETag, Idempotency-Replayed, Link, Location, Retry-After, WWW-Authenticate, X-Request-ID, X-Correlation-ID";

/** Allows the origins of `CORS_ORIGINS`; where there are none, the own one alone. */
export function createCors({ CORS_ORIGINS, PUBLIC_URL }: Config): Cors {
  // The URL of a request with a bad Host is its path alone.
  const own = ({ url }: Request) =>
    URL.canParse(PUBLIC_URL ?? url) ? new URL(PUBLIC_URL ?? url).origin : null;
  function originOf(request: Request): string | null {
    const origin = request.headers.get("origin");
    if (origin === null) return null;
    const isAllowed = CORS_ORIGINS.length > 0 ? CORS_ORIGINS.includes(origin) : origin === own(request);
    return isAllowed ? origin : null;
  }
  return {
    isPreflight: ({ method, headers }) =>
      method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method"),
    preflight: (request) => (originOf(request) === null ? {} : allowed),
    share(request, answer) {
      answer.append("Vary", "Origin");
      const origin = originOf(request);
      if (origin === null) return;
      answer.set("Access-Control-Allow-Origin", origin);
      answer.set("Access-Control-Allow-Credentials", "true");
      answer.set("Access-Control-Expose-Headers", readable);
    },
  };
}
