import type { AnyElysia } from "elysia";
import { ServiceError } from "../../schema/errors.ts";
import { pathOf } from "./call.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Answers requests with the routes of an app. Throws `not_found` for a path that leads nowhere, and
 * `method_not_allowed` with `Allow` where other methods do: both before anything else is looked at.
 */
export function routed(app: AnyElysia): (request: Request) => Response | Promise<Response> {
  app.compile();
  const { http, static: fixed } = app.router;
  // A path that is written out is never taken for an id.
  const leads = (method: string, path: string) => {
    const written = fixed[path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path];
    return written ? written[method] !== undefined : http.find(method, path) !== null;
  };
  return (request) => {
    const path = pathOf(request.url);
    if (leads(request.method === "HEAD" ? "GET" : request.method, path)) return app.fetch(request);
    const there = methods.filter((method) => leads(method, path));
    if (there.length === 0) throw new ServiceError("not_found", "There is no such path.");
    const allow = there.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const headers = { Allow: allow.join(", ") };
    throw new ServiceError("method_not_allowed", "The path does not take this method.", {}, headers);
  };
}
