import type { Cluster, ClusterType } from "../../../schema/provisioning/cluster.ts";
import type { Metric } from "../../../schema/provisioning/metric.ts";
import type { RequestState, Step } from "../../../schema/provisioning/request.ts";
import { manual } from "./manual.ts";
import { openstack } from "./openstack.ts";
import { simulated } from "./simulated.ts";

/** A cluster as its driver sees it: where it is, and how to sign in. */
export type Site = Omit<Cluster, "used" | "status" | "statusSince"> & {
  /** The secret that `credentialsRef` names; a `DriverError` where there is none. Never kept, logged or answered. */
  secret(): Promise<string>;
};

/** What a driver works on: the request as stored, and the cluster that it was placed on. */
export interface Service {
  readonly request: RequestState;
  readonly site: Site;
}

/** What a step brought. `ipAddress`, `hostname`, `endpoints`, `notes` and `credentials` become the service's access. */
export interface StepOutput {
  output: Record<string, unknown>;
  /** The infrastructure reported this result twice. */
  repeated?: true;
}

/** One thing that was tried to see whether a cluster can be worked with. */
export interface Check {
  name: string;
  ok: boolean;
  /** One sentence, without secrets. */
  detail: string;
}

/** What a service uses now. A rate is the rise of a counter over the seconds between two readings. */
export interface Reading {
  gauges: Partial<Record<Metric, number>>;
  counters: Partial<Record<Metric, number>>;
}

/** A kind of infrastructure. */
export interface Provider {
  /** Tries what work on the cluster needs, up to the first thing that fails. Changes nothing; `signal` ends it. */
  probe(site: Site, signal: AbortSignal): Promise<Check[]>;
}

/**
 * The way out to one kind of infrastructure. Every call may be repeated after a crash and must then find what
 * the first one made; `signal` ends it. A fault is thrown as a `DriverError`.
 */
export interface Driver extends Provider {
  step(step: Step, service: Service, signal: AbortSignal): Promise<StepOutput>;
  /** Takes back what a step made; does nothing where it made nothing. */
  undo(step: Step, service: Service, signal: AbortSignal): Promise<void>;
  suspend(service: Service, signal: AbortSignal): Promise<void>;
  resume(service: Service, signal: AbortSignal): Promise<void>;
  /** Resolves when everything of the service is gone. */
  destroy(service: Service, signal: AbortSignal): Promise<void>;
  /** What can be measured now; what can't is left out. */
  metrics(service: Service, signal: AbortSignal): Promise<Reading>;
  /** Resolves when no call that this process began for the service, and can't be cut off, is under way any more. */
  idle?(service: Service): Promise<void>;
}

/** The drivers by cluster type; `drivenClusterTypes` names the same types. */
export const drivers: Partial<Record<ClusterType, Driver>> = { OPENSTACK: openstack, SIMULATED: simulated };

/** What can be probed: the drivers, and the types that people work on. */
export const providers: Partial<Record<ClusterType, Provider>> = { ...drivers, MANUAL: manual };
