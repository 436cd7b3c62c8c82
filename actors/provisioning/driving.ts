import { drivenClusterTypes } from "../../schema/provisioning/cluster.ts";
import type { RequestState } from "../../schema/provisioning/request.ts";
import type { JobOrder } from "../runtime/actor.ts";

/** The job that brings a request's infrastructure to where the request wants it; one at a time for each request. */
export const driveJob = "provisioning.drive";

/** Whether a person carries the request out. */
export const byHand = (state: RequestState) =>
  state.resourceType === "MANUAL" || state.clusterType === "MANUAL";

/** Whether a driver carries the request out. */
export const isDriven = (state: RequestState): boolean =>
  !byHand(state) && state.clusterType !== null && drivenClusterTypes.includes(state.clusterType);

/** Orders that job, where a driver carries the request out. */
export const drive = (state: RequestState): JobOrder[] =>
  isDriven(state) ? [{ kind: driveJob, key: state.id }] : [];
