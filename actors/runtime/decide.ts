import { idempotencyMismatch, notFound, ServiceError } from "../../schema/errors.ts";
import { within } from "../../schema/permissions.ts";
import type { World } from "../../schema/world.ts";
import { streamOf } from "../../streams/topics.ts";
import type { Actor, Decision, Emission, Moment, Origin, StoredRecord } from "./actor.ts";
import type { Draft } from "./draft.ts";
import type { Done, Once, Replayed, Unit, UnitOrder } from "./mailbox.ts";

/** The answers to the facts that an order asked for. */
export type FactsFor = (order: UnitOrder) => Record<string, unknown>;

/** Carries out a unit in the draft, whole or not at all; throws the refusal. */
export function decideUnit(
  world: World,
  draft: Draft,
  unit: Unit,
  now: Date,
  factsFor: FactsFor,
): Done<unknown>[] | Replayed {
  const { applied, once, orders } = unit;
  if (applied && draft.hasApplied(applied.eventId, applied.group)) return [];
  const stored = once && draft.answerTo(once.id);
  if (stored) {
    if (stored.fingerprint !== once.fingerprint) throw idempotencyMismatch();
    return { replayed: { status: stored.status, answer: JSON.parse(world.vault.open(stored.sealedAnswer)) } };
  }
  try {
    const outcomes = orders.flatMap((order) => {
      try {
        return [decideOrder(world, draft, order, now, factsFor)];
      } catch (error) {
        // An event may come late or twice: what the record has already passed counts as done.
        if (applied && error instanceof ServiceError && error.code === "invalid_transition") return [];
        throw error;
      }
    });
    if (applied) draft.storeApplied(applied.eventId, applied.group);
    if (once) draft.storeAnswer(answerRow(world, once, outcomes, now));
    draft.keep();
    return outcomes;
  } catch (error) {
    draft.undo();
    throw error;
  }
}

function decideOrder(
  world: World,
  draft: Draft,
  order: UnitOrder,
  now: Date,
  factsFor: FactsFor,
): Done<unknown> {
  const { command, origin } = order;
  const id = order.id ?? world.newId();
  const before = command.accepts === "new" ? null : accepted(draft, order, id);
  const moment: Moment = {
    id,
    now,
    caller: origin.caller,
    newId: () => world.newId(),
    locked: (actor, other) => draft.get(actor, other),
    lockedAll: (actor) => draft.all(actor),
  };
  const decision = command.decide(before, order.input, factsFor(order), moment);
  return { ...record(world, draft, order, now, before, id, decision), before };
}

/** The record as it is, when it may be seen and its state and version allow the command. */
function accepted(draft: Draft, { command, origin, ifMatch }: UnitOrder, id: string): StoredRecord {
  const found = draft.get(command.actor, id) as
    | (StoredRecord & { status?: string; tenantId?: string })
    | null;
  const tenantId = found?.tenantId ?? null;
  const { scope, sight = scope } = origin;
  if (!found || !within(sight, tenantId)) throw notFound(command.actor.name);
  if (!within(scope, tenantId)) throw new ServiceError("forbidden", "Your role does not allow this here.");
  if (Array.isArray(command.accepts) && !command.accepts.includes(found.status)) {
    const from = found.status ?? "";
    throw new ServiceError(
      "invalid_transition",
      `A ${command.actor.name} that is ${from} does not accept ${command.name}.`,
      {
        from,
        command: command.name,
        allowed: command.allowedIn(from),
      },
    );
  }
  if (ifMatch && !ifMatch.includes(found.version)) {
    throw new ServiceError(
      "precondition_failed",
      "The record has changed since the version that If-Match names.",
    );
  }
  return found;
}

/** Puts a decision into the draft: state or removal, audit, events, jobs. The records after it. */
function record(
  world: World,
  draft: Draft,
  order: UnitOrder,
  now: Date,
  before: StoredRecord | null,
  id: string,
  decision: Decision<unknown>,
) {
  const { command, origin } = order;
  const { set, remove, emit = [], jobs = [], also = [] } = decision;
  if (!set && !remove) {
    if (also.length > 0) throw new Error(`${command.name} changes other records, and not its own.`);
    return { state: before, also: [] };
  }
  const write = (
    actor: Actor,
    old: StoredRecord | null,
    to: string,
    values: object,
    notes: Decision<unknown>,
    quiet = command.quiet,
  ) => {
    const after = nextRecord(old, values, to, now, quiet);
    if (old) draft.change(actor, after);
    else draft.create(actor, after);
    if (actor.wakes && !quiet) draft.wake(actor.wakes);
    if (actor.audited && !quiet) draft.add("audit", auditRow(world, order, old, after, notes, now));
    return after;
  };
  const after = write(command.actor, before, id, set ?? {}, decision);
  if (remove) draft.remove(command.actor, after.id);
  const others = also.map(({ actor, id: other, set: values, create, quiet }) => {
    const found = draft.get(actor, other);
    if (!found && !create) throw new Error(`${command.name} changes a ${actor.name} that it has not locked.`);
    return write(actor, create ? null : found, other, values, {}, quiet);
  });
  for (const emission of emit)
    draft.add("outbox", eventRow(world, command.actor, origin, after, emission, now));
  for (const { kind, key, dueAt = now, payload = null } of jobs) {
    const { requestId, correlationId } = origin;
    draft.add("jobs", { kind, key, dueAt, payload, attempt: 0, revision: 1, requestId, correlationId });
  }
  return { state: after, also: others };
}

function nextRecord(
  before: StoredRecord | null,
  set: object,
  id: string,
  now: Date,
  quiet: boolean,
): StoredRecord {
  if (!before) return { ...set, id, version: 1, createdAt: now, updatedAt: now };
  return quiet ? { ...before, ...set } : { ...before, ...set, version: before.version + 1, updatedAt: now };
}

const statusOf = (record: StoredRecord | null) => (record as { status?: string } | null)?.status ?? null;

function auditRow(
  world: World,
  { command, origin }: UnitOrder,
  before: StoredRecord | null,
  after: StoredRecord,
  { step, detail }: Decision<unknown>,
  now: Date,
) {
  return {
    recordId: after.id,
    version: after.version,
    id: world.newId(),
    at: now,
    actorId: origin.caller.id,
    actorKind: origin.caller.kind,
    command: command.name,
    from: statusOf(before),
    to: statusOf(after),
    step: step ?? null,
    detail: detail ?? null,
    requestId: origin.requestId,
    correlationId: origin.correlationId,
  };
}

function eventRow(
  world: World,
  actor: Actor,
  origin: Origin,
  subject: StoredRecord,
  emission: Emission,
  now: Date,
) {
  const eventId = "topic" in emission ? world.newId() : emission.envelope.eventId;
  const topic = "topic" in emission ? streamOf(world.platform, emission.topic) : emission.stream;
  const envelope =
    "topic" in emission
      ? {
          eventId,
          type: topic,
          version: 1,
          occurredAt: now,
          source: actor.service,
          correlationId: origin.correlationId,
          causationId: origin.causationId,
          tenantId: (subject as { tenantId?: string }).tenantId ?? null,
          subject: subject.id,
          sequence: subject.version,
          data: emission.data,
        }
      : emission.envelope;
  return {
    eventId,
    topic,
    correlationId: origin.correlationId,
    createdAt: now,
    envelope: JSON.stringify(envelope),
  };
}

function answerRow(world: World, once: Once<Done<unknown>[]>, outcomes: Done<unknown>[], now: Date) {
  const sealedAnswer = world.vault.seal(JSON.stringify(once.answer(outcomes) ?? null));
  return { id: once.id, fingerprint: once.fingerprint, status: once.status, sealedAnswer, createdAt: now };
}
