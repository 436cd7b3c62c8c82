import * as v from "valibot";

/** Around every message of the bus. */
export const Envelope = v.strictObject({
  eventId: v.string(),
  /** The full topic name. */
  type: v.string(),
  version: v.literal(1),
  occurredAt: v.string(),
  /** The service that the event comes from. */
  source: v.string(),
  correlationId: v.string(),
  /** The request or event that led to this one. */
  causationId: v.nullable(v.string()),
  tenantId: v.nullable(v.string()),
  /** The id of the record that the event tells of. */
  subject: v.string(),
  /** That record's version after the change. */
  sequence: v.number(),
  data: v.unknown(),
});
export type Envelope = v.InferOutput<typeof Envelope>;
