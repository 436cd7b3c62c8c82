import { type Amounts, type Dimension, dimensions } from "../../schema/provisioning/amounts.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";

type SpecificationOf<T extends ResourceType> = Extract<CreateRequest, { resourceType: T }>["specification"];
type Takes = { [T in ResourceType]?: (specification: SpecificationOf<T>) => Partial<Amounts> };

/** What each type takes beside the one instance that every request is. */
const takes: Takes = {
  VM: ({ vcpu, memoryMb, diskGb }) => ({ vcpu, memoryMb, storageGb: diskGb }),
  DATABASE: ({ vcpu, memoryMb, storageGb }) => ({ vcpu, memoryMb, storageGb }),
  KUBERNETES: ({ nodePools }) => ({
    vcpu: sum(nodePools, ({ count, vcpu }) => count * vcpu),
    memoryMb: sum(nodePools, ({ count, memoryMb }) => count * memoryMb),
    storageGb: sum(nodePools, ({ count, diskGb }) => count * diskGb),
  }),
  VOLUME: ({ sizeGb }) => ({ storageGb: sizeGb }),
  OBJECT_STORAGE: ({ quotaGb }) => ({ storageGb: quotaGb }),
  FLOATING_IP: () => ({ publicIps: 1 }),
  NETWORK: () => ({ networks: 1 }),
  DNS_ZONE: () => ({ dnsZones: 1 }),
};

const sum = <T>(items: readonly T[], amountOf: (item: T) => number) =>
  items.reduce((total, item) => total + amountOf(item), 0);

export const nothing: Amounts = eachOf(() => 0);

/** What a request takes up. */
export function amountsOf({
  resourceType,
  specification,
}: {
  resourceType: ResourceType;
  specification: object;
}): Amounts {
  const more = takes[resourceType] as ((specification: object) => Partial<Amounts>) | undefined;
  return { ...nothing, instances: 1, ...more?.(specification) };
}

export const plus = (a: Amounts, b: Amounts): Amounts => eachOf((name) => a[name] + b[name]);
export const minus = (a: Amounts, b: Amounts): Amounts => eachOf((name) => a[name] - b[name]);

function eachOf(amountOf: (name: Dimension) => number): Amounts {
  return Object.fromEntries(dimensions.map((name) => [name, amountOf(name)])) as Amounts;
}
