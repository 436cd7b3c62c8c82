import { setTimeout as delay } from "node:timers/promises";
import type { Service } from "../../../src/provisioning/drivers/driver.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { never, serviceOf, siteOf, take } from "./services.ts";

/*
 * The driver against a real OpenStack, named by the usual OS_* variables: a machine through all four steps, stopped,
 * started, measured and removed, and what else LANDFALL_OPENSTACK_TYPES names. Leaves nothing behind.
 */

const env = process.env;
const hasUser = env["OS_USERNAME"] && env["OS_PASSWORD"] && env["OS_PROJECT_NAME"];
const hasApplication = env["OS_APPLICATION_CREDENTIAL_ID"] && env["OS_APPLICATION_CREDENTIAL_SECRET"];
if (!env["OS_AUTH_URL"] || !(hasUser || hasApplication)) {
  console.error(
    "Set OS_AUTH_URL and OS_USERNAME, OS_PASSWORD and OS_PROJECT_NAME (or OS_APPLICATION_CREDENTIAL_ID and _SECRET); optional: OS_REGION_NAME (RegionOne), OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME, OS_INTERFACE, LANDFALL_OPENSTACK_IMAGE (cirros), _VCPU (1), _MEMORY_MB (256), _DISK_GB (1), _NETWORK, _FLOATING_NETWORK, _TYPES (VM,VOLUME,NETWORK,FLOATING_IP).",
  );
  process.exit(2);
}
const option = (name: string) => env[`LANDFALL_OPENSTACK_${name}`];
const settings = {
  interface: env["OS_INTERFACE"]?.replace(/URL$/, ""),
  networkId: option("NETWORK"),
  floatingNetwork: option("FLOATING_NETWORK"),
};
const site = siteOf({
  authUrl: env["OS_AUTH_URL"],
  region: env["OS_REGION_NAME"] ?? "RegionOne",
  projectName: env["OS_PROJECT_NAME"] ?? null,
  domainName: env["OS_PROJECT_DOMAIN_NAME"] ?? null,
  metadata: Object.fromEntries(Object.entries(settings).filter(([, value]) => value)),
  secretText: JSON.stringify(
    hasApplication
      ? {
          applicationCredentialId: env["OS_APPLICATION_CREDENTIAL_ID"],
          applicationCredentialSecret: env["OS_APPLICATION_CREDENTIAL_SECRET"],
        }
      : {
          username: env["OS_USERNAME"],
          password: env["OS_PASSWORD"],
          ...(env["OS_USER_DOMAIN_NAME"] ? { userDomainName: env["OS_USER_DOMAIN_NAME"] } : {}),
        },
  ),
});

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const brought = await act();
  const said = brought === undefined ? "" : ` ${JSON.stringify(brought)}`;
  console.log(`${what.padEnd(22)} ${((performance.now() - from) / 1000).toFixed(2).padStart(6)} s${said}`);
  return brought;
}

/** The orders, in turn: the volume is attached to the machine. */
const orders: Record<string, (machine?: Service) => Record<string, unknown>> = {
  VM: () => ({
    vcpu: Number(option("VCPU") ?? 1),
    memoryMb: Number(option("MEMORY_MB") ?? 256),
    diskGb: Number(option("DISK_GB") ?? 1),
    image: option("IMAGE") ?? "cirros",
    hostname: "landfall-live-test",
  }),
  VOLUME: (machine) => ({
    sizeGb: 1,
    ...(machine ? { attachTo: machine.request.steps[0]?.output?.["instanceId"] } : {}),
  }),
  NETWORK: () => ({ cidr: "10.254.254.0/28" }),
  FLOATING_IP: () => ({ family: 4 }),
};

async function live(): Promise<void> {
  const checks = await timed("probe", () => openstack.probe(site, never));
  if (checks.some(({ ok }) => !ok)) throw new Error("The cluster can't be worked with.");
  const made: Service[] = [];
  try {
    for (const type of (option("TYPES") ?? "VM").split(",")) {
      const order = orders[type];
      if (!order) throw new Error(`There is no test for ${type}.`);
      const service = serviceOf(site, type as "VM", order(made[0]));
      made.push(service);
      for (const step of ["ALLOCATE", "CONFIGURE", "ACTIVATE", "VERIFY"] as const)
        await timed(`${type} ${step}`, () => take(service, step));
      if (type !== "VM") continue;
      await timed("VM suspend", () => openstack.suspend(service, never));
      await timed("VM resume", () => openstack.resume(service, never));
      await timed("VM metrics", () => openstack.metrics(service, never));
    }
  } finally {
    for (const service of made.reverse())
      await timed(`${service.request.resourceType} destroy`, () => openstack.destroy(service, never));
  }
}

const limitMs = 15 * 60_000;
const late = delay(limitMs, undefined, { ref: false }).then(() => {
  throw new Error(`It took longer than ${limitMs / 60_000} minutes.`);
});
try {
  await Promise.race([live(), late]);
  console.log("The driver works on this cluster.");
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
  process.exit(1);
}
