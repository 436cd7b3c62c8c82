import type { ResourceType } from "../../../schema/provisioning/specification.ts";
import type { Driver, Service } from "./driver.ts";
import { DriverError } from "./driver-error.ts";
import { openCloud } from "./openstack/cloud.ts";
import { floatingIp } from "./openstack/floating-ip.ts";
import { network } from "./openstack/network.ts";
import { probe } from "./openstack/probe.ts";
import { server } from "./openstack/server.ts";
import { type Resource, type Task, tagOf } from "./openstack/task.ts";
import { turnsOf } from "./openstack/turns.ts";
import { volume } from "./openstack/volume.ts";

const resources: Partial<Record<ResourceType, Resource>> = {
  VM: server,
  VOLUME: volume,
  NETWORK: network,
  FLOATING_IP: floatingIp,
};

const resourceOf = ({ request }: Service) => resources[request.resourceType];
const taskOf = ({ request, site }: Service, signal: AbortSignal): Task => ({
  request,
  cloud: openCloud(site, signal),
  tag: tagOf(request.id),
});

/**
 * OpenStack: Keystone v3, Nova, and where they are needed Glance, Neutron and Cinder. What can't go well is a
 * `DriverError` at once; a service that is away (`Away`: no connection, no answer, 429, 5xx) is any other error, so
 * that the call is made again until the step's time is up.
 */
export const openstack: Driver = {
  async step(step, service, signal) {
    const resource = resourceOf(service);
    if (!resource)
      throw new DriverError(
        "UNSUPPORTED_RESOURCE_TYPE",
        "OpenStack clusters do not offer this type of resource.",
      );
    return { output: (await resource.steps[step]?.(taskOf(service, signal))) ?? {} };
  },
  /** All that the steps make carries one tag, and goes with the first of them. */
  async undo(step, service, signal) {
    if (step === "ALLOCATE") await resourceOf(service)?.destroy(taskOf(service, signal));
  },
  async suspend(service, signal) {
    await resourceOf(service)?.power?.(taskOf(service, signal), "SHUTOFF");
  },
  async resume(service, signal) {
    await resourceOf(service)?.power?.(taskOf(service, signal), "ACTIVE");
  },
  async destroy(service, signal) {
    await resourceOf(service)?.destroy(taskOf(service, signal));
  },
  async metrics(service, signal) {
    const metrics = resourceOf(service)?.metrics;
    return metrics ? metrics(taskOf(service, signal)) : { gauges: {}, counters: {} };
  },
  idle: ({ request, site }) => turnsOf(site, tagOf(request.id)),
  probe,
};
