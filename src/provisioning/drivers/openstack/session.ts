import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import { exchange } from "./exchange.ts";
import { refusal } from "./faults.ts";
import { type Credentials, credentialsOf, type Settings } from "./settings.ts";

const Token = v.object({
  token: v.object({
    issued_at: v.string(),
    expires_at: v.string(),
    project: v.optional(v.object({ id: v.string() })),
    catalog: v.array(
      v.object({
        type: v.string(),
        endpoints: v.array(
          v.object({
            interface: v.string(),
            region_id: v.optional(v.nullable(v.string())),
            region: v.optional(v.nullable(v.string())),
            url: v.pipe(v.string(), v.maxLength(2048)),
          }),
        ),
      }),
    ),
  }),
});

/** A sign-in to Keystone: a token for one project, and where its services are. */
export interface Session {
  readonly token: string;
  readonly projectId: string;
  readonly catalog: v.InferOutput<typeof Token>["token"]["catalog"];
  /** How long the token may be used from when it came, which a clock that is wrong does not change. */
  readonly usableMs: number;
}

interface Held {
  fingerprint: string;
  session: Promise<Session>;
  usableUntilMs: number;
}

/** The session of each cluster, while it can be used. */
const sessions = new Map<string, Held>();

/** A token is renewed this long before its end, or after nine tenths of its life. */
const marginMs = 60_000;

/**
 * The session of a cluster: the one that is there, else a new one, which those who ask meanwhile share. A change of
 * the cluster or of its secret needs a new one, and so does a session that was `refused`.
 */
export async function sessionOf(site: Site, settings: Settings, refused?: Session): Promise<Session> {
  const secret = await site.secret();
  const fingerprint = `${site.version}:${createHash("sha256").update(secret).digest("base64")}`;
  const held = sessions.get(site.id);
  if (held?.fingerprint === fingerprint && performance.now() < held.usableUntilMs) {
    const session = await held.session;
    if (session !== refused) return session;
    if (sessions.get(site.id) !== held) return sessionOf(site, settings, refused);
  }
  const session = signIn(settings, credentialsOf(secret));
  const mine = { fingerprint, session, usableUntilMs: Number.POSITIVE_INFINITY };
  sessions.set(site.id, mine);
  try {
    mine.usableUntilMs = performance.now() + (await session).usableMs;
  } catch (error) {
    if (sessions.get(site.id) === mine) sessions.delete(site.id);
    throw error;
  }
  return session;
}

/** Signs in (Keystone v3, `POST /v3/auth/tokens`); a `DriverError` of `AUTHENTICATION_FAILED` where that is refused. */
export async function signIn(
  settings: Settings,
  credentials: Credentials,
  signal?: AbortSignal,
): Promise<Session> {
  const url = `${settings.identityUrl}/auth/tokens`;
  const auth = authOf(settings, credentials);
  const answer = await exchange(
    { method: "POST", url, headers: {}, body: { auth }, service: "identity" },
    settings.callTimeoutSeconds * 1000,
    signal,
  );
  if (answer.status !== 201) throw refusal("identity", answer.status, answer.body);
  const token = answer.headers.get("x-subject-token");
  const read = v.safeParse(Token, answer.body);
  if (!token || !read.success)
    throw new DriverError("UNEXPECTED_ANSWER", "The identity service did not answer as Keystone v3 does.");
  const { issued_at, expires_at, project, catalog } = read.output.token;
  const lifeMs = Date.parse(expires_at) - Date.parse(issued_at);
  return {
    token,
    projectId: project?.id ?? "",
    catalog,
    usableMs: lifeMs - Math.min(marginMs, lifeMs / 10),
  };
}

function authOf(settings: Settings, credentials: Credentials): object {
  if ("applicationCredentialId" in credentials) {
    const { applicationCredentialId: id, applicationCredentialSecret: secret } = credentials;
    // It is bound to its project, so that a scope is refused.
    return { identity: { methods: ["application_credential"], application_credential: { id, secret } } };
  }
  if (!settings.projectName)
    throw new DriverError("CLUSTER_INVALID", "The cluster's projectName must be given with a password.");
  const { username: name, password, userDomainName } = credentials;
  const user = { name, password, domain: { name: userDomainName ?? settings.domainName } };
  const domain = { name: settings.domainName };
  return {
    identity: { methods: ["password"], password: { user } },
    scope: { project: { name: settings.projectName, domain } },
  };
}
