import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import type { Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import { endpointOf, missingService, type ServiceKind } from "./catalogue.ts";
import { type Answer, Away, type Call, exchange } from "./exchange.ts";
import { isRefused, refusal } from "./faults.ts";
import { type Session, sessionOf } from "./session.ts";
import { type Settings, settingsOf } from "./settings.ts";

/** Pinned: tags at create came with 2.52, one shape of diagnostics for all hypervisors with 2.48, `auto` networks with 2.37. */
const versions: Record<ServiceKind, Record<string, string>> = {
  compute: { "OpenStack-API-Version": "compute 2.60" },
  volume: { "OpenStack-API-Version": "volume 3.0" },
  network: {},
  image: {},
  // The last version that has them.
  imageProxy: { "OpenStack-API-Version": "compute 2.35" },
};

type Schema = v.GenericSchema;

/** The services of a cluster, as one signed-in caller. */
export interface Cloud {
  readonly site: Site;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** Whether the catalogue has it. */
  has(kind: ServiceKind): Promise<boolean>;
  /** The project that all is made in. */
  projectId(): Promise<string>;
  /** Reads; tried again a few times where the service is away. */
  get<S extends Schema>(kind: ServiceKind, path: string, schema: S): Promise<v.InferOutput<S>>;
  /** Does something once; goes on when `signal` ends the caller. */
  post<S extends Schema>(
    kind: ServiceKind,
    path: string,
    body: unknown,
    schema: S,
  ): Promise<v.InferOutput<S>>;
  put(kind: ServiceKind, path: string, body: unknown): Promise<void>;
  /** Removes, or has it removed. What is gone already is fine; false then. */
  delete(kind: ServiceKind, path: string): Promise<boolean>;
  /** Looks again and again, less and less often, until there is something to see. */
  until<T>(look: () => Promise<T | undefined>): Promise<T>;
}

const maxTries = 3;

/** The longest pause between two looks, in first pauses. */
const slowest = 5;

/** Opens the services of a cluster; `signal` ends whatever is done with them. */
export function openCloud(site: Site, signal: AbortSignal, sessionFor = sessionOf): Cloud {
  const settings = settingsOf(site);
  const pollMs = settings.pollSeconds * 1000;
  const pause = (ms: number) =>
    delay(ms, undefined, { signal }).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });

  async function callOnce(
    kind: ServiceKind,
    path: string,
    rest: Pick<Call, "method" | "body">,
  ): Promise<Answer> {
    const send = (session: Session) => {
      signal.throwIfAborted();
      const root = endpointOf(session, site, settings, kind);
      if (!root) throw missingService(kind);
      const headers = { "X-Auth-Token": session.token, ...versions[kind] };
      // What makes something is not cut off: it could be made and never be found.
      const cut = rest.method === "POST" ? undefined : signal;
      return exchange(
        { ...rest, url: root + path, headers, service: kind },
        settings.callTimeoutSeconds * 1000,
        cut,
      );
    };
    const session = await sessionFor(site, settings);
    const answer = await send(session);
    // A token can end before its time, by a change of password or roles.
    return answer.status === 401 ? send(await sessionFor(site, settings, session)) : answer;
  }

  /** For what may be done twice. */
  async function callAgain(...call: Parameters<typeof callOnce>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await callOnce(...call);
      } catch (error) {
        if (!(error instanceof Away) || error.retryAfterMs === null || tries === maxTries) throw error;
        await pause(Math.max(error.retryAfterMs, (pollMs / 4) * 2 ** tries));
      }
    }
  }

  function accept<S extends Schema>(
    kind: ServiceKind,
    { status, body }: Answer,
    schema: S,
  ): v.InferOutput<S> {
    if (status < 200 || status > 299) throw refusal(kind, status, body);
    const read = v.safeParse(schema, body);
    if (read.success) return read.output;
    throw new DriverError("UNEXPECTED_ANSWER", `The ${kind} service answered in a shape that is not known.`);
  }

  return {
    site,
    settings,
    signal,
    has: async (kind) => endpointOf(await sessionFor(site, settings), site, settings, kind) !== null,
    projectId: async () => (await sessionFor(site, settings)).projectId,
    get: async (kind, path, schema) => accept(kind, await callAgain(kind, path, { method: "GET" }), schema),
    post: async (kind, path, body, schema) =>
      accept(kind, await callOnce(kind, path, { method: "POST", body }), schema),
    async put(kind, path, body) {
      accept(kind, await callAgain(kind, path, { method: "PUT", body }), v.unknown());
    },
    async delete(kind, path) {
      const answer = await callAgain(kind, path, { method: "DELETE" });
      if (answer.status === 404) return false;
      accept(kind, answer, v.unknown());
      return true;
    },
    async until(look) {
      for (let ms = pollMs; ; ms = Math.min(ms * 1.5, pollMs * slowest)) {
        const seen = await look();
        if (seen !== undefined) return seen;
        await pause(ms);
      }
    },
  };
}

/** A UUID, with or without its hyphens: only then may a text of a tenant stand in a path. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text);

/** Null where there is no such thing. */
export const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error) => {
    if (isRefused(error, 404)) return null;
    throw error;
  });
