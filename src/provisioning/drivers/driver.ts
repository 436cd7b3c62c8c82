import type { ClusterType } from "../../../schema/provisioning/cluster.ts";
import type { RequestState, Step } from "../../../schema/provisioning/request.ts";
import { simulated } from "./simulated.ts";

/** What a driver works on: the request as stored, and its cluster's settings. */
export interface Service {
  readonly request: RequestState;
  readonly clusterMetadata: Record<string, unknown>;
}

/** What a step brought. `ipAddress`, `hostname`, `endpoints`, `notes` and `credentials` become the service's access. */
export interface StepOutput {
  output: Record<string, unknown>;
  /** The infrastructure reported this result twice. */
  repeated?: true;
}

/**
 * The way out to one kind of infrastructure. Every call may be repeated after a crash and must then find what
 * the first one made; `signal` ends it. A fault is thrown as a `DriverError`.
 */
export interface Driver {
  step(step: Step, service: Service, signal: AbortSignal): Promise<StepOutput>;
  /** Takes back what a step made; does nothing where it made nothing. */
  undo(step: Step, service: Service, signal: AbortSignal): Promise<void>;
  suspend(service: Service, signal: AbortSignal): Promise<void>;
  resume(service: Service, signal: AbortSignal): Promise<void>;
  /** Resolves when everything of the service is gone. */
  destroy(service: Service, signal: AbortSignal): Promise<void>;
}

/** The drivers by cluster type; `drivenClusterTypes` names the same types. */
export const drivers: Partial<Record<ClusterType, Driver>> = { SIMULATED: simulated };
