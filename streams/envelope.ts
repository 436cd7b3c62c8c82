import * as v from "valibot";
import { exampleId, textLike } from "../schema/values.ts";

const id = textLike(exampleId);
const time = v.pipe(v.string(), v.description("ISO 8601, UTC."), v.examples(["2026-11-20T09:30:00.000Z"]));
const described = (description: string, example: string) =>
  v.pipe(v.string(), v.description(description), v.examples([example]));

const members = {
  eventId: v.pipe(id, v.description("The same, however often the event is delivered.")),
  type: described("The full topic name.", "landfall.order.created.v1"),
  version: v.literal(1),
  occurredAt: time,
  source: described("The service that the event comes from.", "order"),
  correlationId: v.pipe(id, v.description("Follows the work from the request that began it.")),
  causationId: v.pipe(v.nullable(id), v.description("The request or event that led to this one.")),
  tenantId: v.nullable(id),
  subject: v.pipe(id, v.description("The id of the record that the event tells of.")),
  sequence: v.pipe(v.number(), v.description("That record's version after the change."), v.examples([1])),
  data: v.unknown(),
};

/** Around every message of the bus. Members that a reader does not know are passed over: later versions may add some. */
export const Envelope = v.pipe(v.object(members), v.title("Envelope"));
export type Envelope = v.InferOutput<typeof Envelope>;

/** A message on the stream of dead letters: as it was, with why it is there. */
export const DeadLetterEnvelope = v.pipe(
  v.looseObject({
    ...v.partial(v.object(members)).entries,
    eventId: members.eventId,
    text: v.optional(v.pipe(v.string(), v.description("The message itself, where it is no JSON object."))),
    deadLetter: v.strictObject({
      group: described("The consumer group that could not handle it.", "provisioning"),
      attempts: v.pipe(v.number(), v.integer(), v.examples([4])),
      firstFailedAt: time,
      lastFailedAt: time,
      error: described("What the last attempt failed with.", "The envelope is not valid."),
    }),
  }),
  v.title("DeadLetterEnvelope"),
);
