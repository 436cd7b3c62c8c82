import { ServiceError } from "../../schema/errors.ts";
import type { World } from "../../schema/world.ts";
import type { Config } from "../config.ts";
import { pathOf } from "../http/call.ts";
import { problem } from "../http/problems.ts";
import { clientAddress } from "./address.ts";
import { createCors } from "./cors.ts";
import { contentSecurityPolicy, gatewayHeaders } from "./headers.ts";
import { nameRequest, type RequestIds } from "./ids.ts";
import { placeOf } from "./prefixes.ts";
import { createRateLimits } from "./rate-limits.ts";
import { isGoodHost, isGoodPath } from "./target.ts";

export interface Gateway {
  /** Answers a request that came from a socket with this address. */
  answer(request: Request, socketAddress: string): Promise<Response>;
  /** What is answered where an answer fails while it is being sent. */
  failed(error: unknown): Response;
}

/** Admits requests and hands them to the services behind; what it promises is on every answer, errors too. */
export function createGateway(
  { config, world }: { config: Config; world: World },
  serve: (request: Request) => Response | Promise<Response>,
): Gateway {
  const policy = contentSecurityPolicy(config.IDENTITY_PROVIDER_ORIGINS);
  const limits = createRateLimits(config);
  const cors = createCors(config);
  const hops = config.TRUSTED_PROXY_HOPS;

  async function admit(request: Request, ids: RequestIds, path: string, socketAddress: string) {
    const { headers, method } = request;
    if (!isGoodHost(headers.get("host") ?? ""))
      throw new ServiceError("bad_request", "The Host header is not valid.");
    if (cors.isPreflight(request)) return preflight(cors.preflight(request), ids.requestId);
    const forwarded = hops > 0 ? headers.get("x-forwarded-for") : null;
    limits.admit(placeOf(method, path), clientAddress(socketAddress, forwarded, hops), performance.now());
    if (!isGoodPath(path)) throw new ServiceError("bad_request", "The path is not valid.");
    return serve(request);
  }
  function signed(answer: Response, { requestId, correlationId }: RequestIds): Response {
    for (const [name, value] of gatewayHeaders) answer.headers.set(name, value);
    if (!answer.headers.has(policy.name)) answer.headers.set(policy.name, policy.value);
    answer.headers.set("X-Request-ID", requestId);
    answer.headers.set("X-Correlation-ID", correlationId);
    return answer;
  }
  return {
    async answer(request, socketAddress) {
      const ids = nameRequest(request, world);
      const path = pathOf(request.url);
      const answer = await admit(request, ids, path, socketAddress).catch((error) =>
        problem(error, { path, ...ids }, world.log),
      );
      cors.share(request, answer.headers);
      return signed(answer, ids);
    },
    failed(error) {
      const requestId = world.newId();
      const answer = problem(error, { path: "/", requestId }, world.log);
      return signed(answer, { requestId, correlationId: requestId });
    },
  };
}

function preflight(headers: Record<string, string>, request_id: string): Response {
  return Response.json({ data: {}, meta: { request_id, timestamp: new Date().toISOString() } }, { headers });
}
