import * as v from "valibot";
import type { Check, Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import { type Cloud, openCloud } from "./cloud.ts";
import { Away } from "./exchange.ts";
import { signIn } from "./session.ts";
import { credentialsOf, settingsOf } from "./settings.ts";

/** Seconds a call may take here, so that whoever waits learns which one it was. */
const slowest = 3;

/** Credentials, sign-in, and each service that the cluster's resource types need. Signs in anew, as a changed password must show. */
export async function probe(given: Site, signal: AbortSignal): Promise<Check[]> {
  const { callTimeoutSeconds = slowest } = given.metadata as { callTimeoutSeconds?: number };
  const metadata = { ...given.metadata, callTimeoutSeconds: Math.min(callTimeoutSeconds, slowest) };
  const site: Site = { ...given, metadata };
  const checks: Check[] = [];
  /** What the attempt brings; null where it fails. */
  const check = async <T>(name: string, good: string, attempt: () => Promise<T>): Promise<T | null> => {
    try {
      const brought = await attempt();
      checks.push({ name, ok: true, detail: good });
      return brought;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DriverError || error instanceof Away)) throw error;
      checks.push({ name, ok: false, detail: detailOf(error) });
      return null;
    }
  };
  const credentials = await check("credentials", "The credentials can be read.", async () =>
    credentialsOf(await site.secret()),
  );
  const session =
    credentials &&
    (await check("keystone", "Keystone accepts the credentials.", async () =>
      signIn(settingsOf(site), credentials, signal),
    ));
  if (!session) return checks;
  const cloud = openCloud(site, signal, async () => session);
  for (const [name, title, path] of await servicesOf(cloud))
    if ((await check(name, `${title} answers.`, () => cloud.get(name, path, Answered))) === null) break;
  return checks;
}

const Answered = v.pipe(
  v.unknown(),
  v.transform(() => true),
);

/** An operator may read what the service said as well. */
const detailOf = ({ message, cause }: Error): string =>
  cause instanceof Error
    ? `${message.replace(/\.$/, "")}: ${cause.message.replace(/[.\s]+$/, "")}.`
    : message;

const services = [
  ["compute", "Nova", "/flavors?limit=1", ["VM"]],
  ["network", "Neutron", "/networks?limit=1&fields=id", ["NETWORK", "FLOATING_IP"]],
  ["volume", "Cinder", "/volumes?limit=1", ["VOLUME"]],
] as const;

/** Nova always; the others where the cluster says that it offers what they make, or, where it says nothing, has them. */
async function servicesOf(cloud: Cloud) {
  const { supportedResourceTypes: offered } = cloud.site;
  const asked = await Promise.all(
    services.map(
      async ([name, , , types]) =>
        name === "compute" || (offered ? types.some((type) => offered.includes(type)) : cloud.has(name)),
    ),
  );
  return services.filter((_, at) => asked[at]);
}
