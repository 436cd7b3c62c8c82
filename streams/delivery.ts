import * as v from "valibot";
import type { World } from "../schema/world.ts";
import { Envelope } from "./envelope.ts";
import type { Delivery, Letter } from "./group.ts";
import { storedEvent } from "./outbox.ts";
import { streamOf, type Topic, topics } from "./topics.ts";

/** A stream entry on its way through a group. */
export interface Entry {
  readonly topic: Topic;
  /** The id in the stream, `<seq>-0`. */
  readonly id: string;
  /** The envelope as it came; undefined until it has been claimed. */
  text: string | undefined;
  /** How often it was given to a handler, as Redis counts. */
  deliveries: number;
  firstFailedAt?: Date;
}

export const seqOf = (entry: { id: string }): number => Number.parseInt(entry.id, 10);

/** What the handler gets; throws when the envelope or its data is not what the topic promises. */
export function deliveryOf(group: string, entry: Entry): Delivery {
  const envelope = parse(Envelope, JSON.parse(entry.text ?? ""));
  const data = parse(topics[entry.topic].data, envelope.data);
  return { group, topic: entry.topic, seq: seqOf(entry), envelope: { ...envelope, data } };
}

function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (!result.success) throw new Error(`The envelope is not valid: ${v.summarize(result.issues)}`);
  return result.output;
}

/** The dead letter of an entry that has failed for the last time; rejects while MySQL is away. */
export async function letterOf(
  world: World,
  group: string,
  entry: Entry,
  error: Error,
  failedAt: Date,
): Promise<Letter> {
  const topic = streamOf(world.platform, entry.topic);
  return {
    topic,
    group,
    eventId: eventIdIn(entry) ?? (await storedEvent(world.pool, seqOf(entry)))?.eventId ?? world.newId(),
    eventType: topic,
    envelope: entry.text ?? "",
    attempts: entry.deliveries,
    firstFailedAt: entry.firstFailedAt ?? failedAt,
    lastFailedAt: failedAt,
    error: error.message,
  };
}

/** Undefined when the envelope is not readable. */
function eventIdIn(entry: Entry): string | undefined {
  try {
    return v.parse(v.object({ eventId: v.pipe(v.string(), v.uuid()) }), JSON.parse(entry.text ?? "")).eventId;
  } catch {
    return undefined;
  }
}
