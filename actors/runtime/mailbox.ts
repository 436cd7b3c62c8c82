import type { World } from "../../schema/world.ts";
import type { Command, Origin } from "./actor.ts";
import { openBatchConnection } from "./connection.ts";
import { runBatch } from "./recovery.ts";

/** Makes a repeated request answer what the first one did (`Idempotency-Key`). */
export interface Once<State> {
  /** SHA-256 of caller, method, path and key. */
  readonly id: string;
  /** SHA-256 of the body. */
  readonly fingerprint: string;
  readonly status: number;
  answer(state: State): unknown;
}

/** A command on its way to one record. */
export interface Order<State, Input> {
  /** Absent for a new record: an id is made. */
  readonly id?: string;
  readonly input: Input;
  readonly origin: Origin;
  /** Refused as `precondition_failed` when the record has none of these versions. */
  readonly ifMatch?: readonly number[];
  readonly once?: Once<State>;
}

/** The record after the command and before it (null: it is new), or the answer that was stored the first time. */
export type Outcome<State> =
  | { readonly state: State; readonly before: State | null; readonly replayed?: undefined }
  | { readonly replayed: { status: number; answer: unknown } };

/** Commands that succeed or fail together. */
export interface Unit {
  readonly orders: readonly (Order<unknown, unknown> & { readonly command: Command })[];
  /** The event that a consumer group handles with them; a repeat does nothing. */
  readonly applied: { group: string; eventId: string } | null;
  resolve(outcomes: Outcome<unknown>[]): void;
  reject(error: unknown): void;
}

/** Where commands are sent. The promise settles after the commit; a refusal rejects with its `ServiceError`. */
export interface Mailbox {
  send<State, Input>(command: Command<State, Input>, order: Order<State, Input>): Promise<Outcome<State>>;
  /** The effects of an event and the note that `group` has handled it, in one commit. What a record has already passed counts as done. */
  apply(applied: { group: string; eventId: string }, orders: Unit["orders"]): Promise<void>;
  /** Waits for what was sent, then ends its connection. */
  close(): Promise<void>;
}

const maxBatch = 256;

/** Opens the one queue of this process: while a batch is being committed the next one gathers. */
export function openMailbox(world: World): Mailbox {
  const connection = openBatchConnection(world);
  let queue: Unit[] = [];
  let running: Promise<void> | null = null;

  async function drain() {
    while (queue.length > 0) {
      const units = nextBatch(queue);
      queue = queue.slice(units.length);
      await runBatch(world, connection, units);
    }
    running = null;
  }
  function enqueue(orders: Unit["orders"], applied: Unit["applied"]) {
    return new Promise<Outcome<unknown>[]>((resolve, reject) => {
      queue.push({ orders, applied, resolve, reject });
      running ??= Promise.resolve().then(drain);
    });
  }
  return {
    async send(command, order) {
      const [outcome] = await enqueue([{ ...order, command } as Unit["orders"][number]], null);
      return outcome as Outcome<never>;
    },
    async apply(applied, orders) {
      await enqueue(orders, applied);
    },
    async close() {
      while (running) await running;
      await connection.close();
    },
  };
}

/** The units at the head of the queue that make at most `maxBatch` commands; one at least. */
function nextBatch(queue: Unit[]): Unit[] {
  let commands = 0;
  const end = queue.findIndex(({ orders }) => {
    commands += Math.max(orders.length, 1);
    return commands > maxBatch;
  });
  return end === -1 ? queue : queue.slice(0, Math.max(end, 1));
}
