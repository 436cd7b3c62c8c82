import type { RequestState, Step } from "../../../../schema/provisioning/request.ts";
import type { Reading } from "../driver.ts";
import type { Cloud } from "./cloud.ts";

/** A request on a cluster. */
export interface Task {
  readonly request: RequestState;
  readonly cloud: Cloud;
  /** What everything that is made for the request carries from the moment it is made, and is found again by. */
  readonly tag: string;
}

/** What is to be done for one type of resource; each part may be repeated, and then finds what is there. */
export interface Resource {
  /** What a step does and brings; nothing where it is left out. */
  readonly steps: Partial<Record<Step, (task: Task) => Promise<Record<string, unknown>>>>;
  /** Removes all that carries the tag, and resolves when it is gone. */
  destroy(task: Task): Promise<void>;
  /** For what can be switched on and off. */
  power?(task: Task, wanted: "ACTIVE" | "SHUTOFF"): Promise<void>;
  metrics?(task: Task): Promise<Reading>;
}

export const tagOf = (requestId: string): string => `landfall-${requestId}`;
