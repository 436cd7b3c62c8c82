import type { RequestState, Step, StepState } from "../../../schema/provisioning/request.ts";
import { steps } from "../../../schema/provisioning/request.ts";
import type { ResourceType } from "../../../schema/provisioning/specification.ts";
import type { Service, Site } from "../../../src/provisioning/drivers/driver.ts";
import { DriverError } from "../../../src/provisioning/drivers/driver-error.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";

/** A cluster as the driver sees it. */
export function siteOf(given: Partial<Site> & { authUrl: string; secretText: string }): Site {
  const { secretText, ...rest } = given;
  const now = new Date();
  return {
    id: Bun.randomUUIDv7(),
    version: 1,
    createdAt: now,
    updatedAt: now,
    name: "Cloud",
    type: "OPENSTACK",
    region: "RegionOne",
    apiUrl: null,
    projectName: "cloud",
    domainName: null,
    credentialsRef: "env:CLOUD",
    supportedResourceTypes: null,
    isDefault: true,
    provisioningEnabled: true,
    capacity: {},
    metadata: {},
    secret: async () => secretText,
    ...rest,
  };
}

/** A request on it, at its first step. */
export function serviceOf(
  site: Site,
  resourceType: ResourceType,
  specification: Record<string, unknown>,
  more: Partial<RequestState> = {},
): Service {
  const now = new Date();
  const request: RequestState = {
    id: Bun.randomUUIDv7(),
    version: 1,
    createdAt: now,
    updatedAt: now,
    tenantId: "tenant-1",
    orderId: "order-1",
    orderItemId: "item-1",
    resourceType,
    specification,
    metadata: {},
    status: "PROVISIONING",
    currentStep: "ALLOCATE",
    steps: steps.map((step) => ({
      step,
      status: "PENDING",
      attempt: 1,
      startedAt: null,
      finishedAt: null,
      output: null,
      error: null,
    })),
    retryCount: 0,
    maxRetries: 3,
    clusterId: site.id,
    clusterType: "OPENSTACK",
    access: null,
    sealedCredentials: null,
    error: null,
    settledStatus: null,
    leftovers: [],
    reserved: null,
    approvalId: null,
    startsWhenApproved: false,
    createdBy: "user-1",
    ...more,
  };
  return { request, site };
}

export const never = new AbortController().signal;

/** Takes a step as the worker does, and keeps what it brought. */
export async function take(service: Service, step: Step): Promise<Record<string, unknown>> {
  const state = begin(service, step);
  try {
    const { output } = await openstack.step(step, service, never);
    Object.assign(state, { status: "COMPLETED", output });
    return output;
  } catch (error) {
    if (error instanceof DriverError)
      Object.assign(state, { status: "FAILED", error: { code: error.code, message: error.message } });
    throw error;
  }
}

/** Has a step run, as the driver finds it; what a crash leaves. */
export function begin({ request }: Service, step: Step): StepState {
  const state = request.steps.find((each) => each.step === step) as StepState;
  return Object.assign(state, {
    status: "RUNNING",
    startedAt: new Date().toISOString(),
    ...{ output: null, error: null },
  });
}

/** The same request in another process, which does not know what this one is doing. */
export const elsewhere = ({ request, site }: Service): Service => ({
  request,
  site: { ...site, id: Bun.randomUUIDv7() },
});

/** Takes all four; what they brought together. */
export async function takeAll(service: Service): Promise<Record<string, unknown>> {
  const brought: Record<string, unknown> = {};
  for (const step of steps) Object.assign(brought, await take(service, step));
  return brought;
}
