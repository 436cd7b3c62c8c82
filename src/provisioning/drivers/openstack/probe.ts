import * as v from "valibot";
import type { Check, Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import { openCloud } from "./cloud.ts";
import { Away } from "./exchange.ts";
import { type Session, signIn } from "./session.ts";
import { type Credentials, credentialsOf, settingsOf } from "./settings.ts";

/** Seconds a call may take here, so that whoever waits learns which one it was. */
const slowest = 3;

/** Credentials, sign-in, and each service that the cluster's resource types need. Signs in anew, as a changed password must show. */
export async function probe(given: Site, signal: AbortSignal): Promise<Check[]> {
  const { callTimeoutSeconds = slowest } = given.metadata as { callTimeoutSeconds?: number };
  const metadata = { ...given.metadata, callTimeoutSeconds: Math.min(callTimeoutSeconds, slowest) };
  const site: Site = { ...given, metadata };
  const checks: Check[] = [];
  let credentials: Credentials;
  let session: Session;
  const attempts: [name: string, good: string, attempt: () => Promise<unknown>][] = [
    [
      "credentials",
      "The credentials can be read.",
      async () => {
        credentials = credentialsOf(await site.secret());
      },
    ],
    [
      "keystone",
      "Keystone accepts the credentials.",
      async () => {
        session = await signIn(settingsOf(site), credentials, signal);
      },
    ],
    ...servicesOf(site).map(([name, title, kind, path]): (typeof attempts)[number] => [
      name,
      `${title} answers.`,
      () => openCloud(site, signal, async () => session).get(kind, path, v.unknown()),
    ]),
  ];
  for (const [name, good, attempt] of attempts) {
    try {
      await attempt();
      checks.push({ name, ok: true, detail: good });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DriverError || error instanceof Away)) throw error;
      return [...checks, { name, ok: false, detail: error.message }];
    }
  }
  return checks;
}

const services = [
  ["compute", "Nova", "compute", "/flavors?limit=1", ["VM"]],
  ["network", "Neutron", "network", "/networks?limit=1&fields=id", ["NETWORK", "FLOATING_IP"]],
  ["volume", "Cinder", "volume", "/volumes?limit=1", ["VOLUME"]],
] as const;

/** Nova always; the others where the cluster says that it offers what they make. */
const servicesOf = ({ supportedResourceTypes: offered }: Site) =>
  services.filter(
    ([name, , , , types]) => name === "compute" || types.some((type) => offered?.includes(type)),
  );
