import { deadLetter } from "../actors/platform/dead-letter.ts";
import { originOf } from "../actors/runtime/actor.ts";
import { type Group, type Letter, startGroup } from "../streams/group.ts";
import { startRelay } from "../streams/relay.ts";
import { type JobKind, startJobs } from "./jobs/runner.ts";
import type { Landfall } from "./landfall.ts";
import { provisioningConsumer } from "./provisioning/consumers.ts";
import { provisioningJobs } from "./provisioning/jobs.ts";

/** What every service hears. */
export const groupsOf = (landfall: Landfall): Group[] => [provisioningConsumer(landfall)];

/** What every service does later or outside. */
export const jobKindsOf = (landfall: Landfall): JobKind[] => provisioningJobs(landfall);

/** Starts what happens beside the doors: the relay, the consumers, the jobs. `inFlight` counts the jobs in hand. */
export function startWork(landfall: Landfall): { readonly inFlight: number; stop(): Promise<void> } {
  const { world, mailbox } = landfall;
  const groups = groupsOf(landfall);
  const bury = async (input: Letter) => {
    const { eventId, group } = input;
    const origin = originOf("platform", { requestId: eventId, correlationId: eventId, causationId: eventId });
    await mailbox.apply({ group: `${group}.dlq`, eventId }, [{ command: deadLetter.bury, input, origin }]);
  };
  const jobs = startJobs(world, jobKindsOf(landfall));
  const parts = [startRelay(world, groups), ...groups.map((group) => startGroup(world, group, bury)), jobs];
  return {
    get inFlight() {
      return jobs.inFlight;
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
