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
  /** How many of its names a route would take from a path; null where no route has the path. */
  const taken = (method: string, path: string): number | null => {
    if (fixed[path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path]?.[method] !== undefined)
      return 0;
    const found = http.find(method, path);
    return found && Object.keys(found.params).length;
  };
  // What is written out in the path of any method is never taken for an id by another.
  const leads = (method: string, path: string) => {
    const own = taken(method, path);
    return own !== null && methods.every((other) => (taken(other, path) ?? own) >= own);
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
