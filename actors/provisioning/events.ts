import type { Fault, RequestState, Step } from "../../schema/provisioning/request.ts";
import type { Emission } from "../runtime/actor.ts";

type Emitted = Pick<RequestState, "orderId" | "orderItemId" | "resourceType" | "status" | "clusterId">;
export type ProvisioningTopic = Extract<Emission, { topic: `provisioning.${string}` }>["topic"];
export type Details = { step?: Step; output?: Record<string, unknown>; error?: Fault };

/** An event with the data that every event of a request carries. */
export function told(id: string, state: Emitted, topic: ProvisioningTopic, details: Details = {}): Emission {
  const { orderId, orderItemId, resourceType, status, clusterId } = state;
  return {
    topic,
    data: { requestId: id, orderId, orderItemId, resourceType, status, clusterId, ...details },
  };
}
