import { deadLetters } from "../../schema/runtime/dead-letter.ts";
import type { Letter } from "../../streams/group.ts";
import { type Decision, defineActor } from "../runtime/actor.ts";

type DeadLetter = typeof deadLetters.$inferSelect;

/** A message that failed for the last time: kept, and published to the topic's dead-letter stream. */
export const deadLetter = defineActor({
  name: "dead letter",
  service: "platform",
  table: deadLetters,
  audited: false,
  accepts: { bury: "new" },
  commands: { bury },
});

function bury(_: DeadLetter, letter: Letter): Decision<DeadLetter> {
  const { topic, group, eventId, attempts, firstFailedAt, lastFailedAt, error, envelope } = letter;
  const note = { group, attempts, firstFailedAt, lastFailedAt, error };
  return {
    set: { ...letter, status: "DEAD" },
    emit: [{ stream: `${topic}.dlq`, envelope: { ...parsed(envelope), eventId, deadLetter: note } }],
  };
}

/** What can't be read as JSON is passed on as the text it is. */
function parsed(envelope: string): object {
  try {
    const value: unknown = JSON.parse(envelope);
    return typeof value === "object" && value !== null ? value : { text: envelope };
  } catch {
    return { text: envelope };
  }
}
