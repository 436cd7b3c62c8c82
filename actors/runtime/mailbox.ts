import type { World } from "../../schema/world.ts";
import type { Command, Origin, StoredRecord } from "./actor.ts";
import { openBatchConnection } from "./connection.ts";
import { runBatch } from "./recovery.ts";

/** Makes a repeated request answer what the first one did (`Idempotency-Key`). */
export interface Once<Result> {
  /** SHA-256 of caller, method, path and key. */
  readonly id: string;
  /** MAC of query and body. */
  readonly fingerprint: string;
  readonly status: number;
  answer(result: Result): unknown;
}

/** A command on its way to one record. */
export interface Order<State, Input> {
  /** Absent for a new record: an id is made. */
  readonly id?: string;
  readonly input: Input;
  readonly origin: Origin;
  /** Refused as `precondition_failed` when the record has none of these versions. */
  readonly ifMatch?: readonly number[];
  readonly once?: Once<Done<State>>;
}

/** The record after a command and before it (null: it is new), and the other records that changed with it. */
export interface Done<State> {
  readonly state: State;
  readonly before: State | null;
  readonly also: readonly StoredRecord[];
  readonly replayed?: undefined;
}

/** The answer that was stored the first time. */
export interface Replayed {
  readonly replayed: { status: number; answer: unknown };
}

export type Outcome<State> = Done<State> | Replayed;

/** A command among others that succeed or fail with it. */
export type UnitOrder = Omit<Order<unknown, unknown>, "once"> & { readonly command: Command };

/** Commands that succeed or fail together. */
export interface Unit {
  readonly orders: readonly UnitOrder[];
  readonly once: Once<Done<unknown>[]> | null;
  /** The event that a consumer group handles with them; a repeat does nothing. */
  readonly applied: { group: string; eventId: string } | null;
  resolve(ending: Done<unknown>[] | Replayed): void;
  reject(error: unknown): void;
}

/** Where commands are sent. The promise settles after the commit; a refusal rejects with its `ServiceError`. */
export interface Mailbox {
  send<State, Input>(command: Command<State, Input>, order: Order<State, Input>): Promise<Outcome<State>>;
  /** Several commands in one commit; what each came to, in their order. */
  sendAll(
    orders: readonly UnitOrder[],
    once?: Once<Done<unknown>[]> | null,
  ): Promise<Done<unknown>[] | Replayed>;
  /** The effects of an event and the note that `group` has handled it, in one commit. What a record has already passed counts as done. */
  apply(applied: { group: string; eventId: string }, orders: readonly UnitOrder[]): Promise<void>;
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
  function enqueue({ orders, once = null, applied = null }: Partial<Unit> & Pick<Unit, "orders">) {
    return new Promise<Done<unknown>[] | Replayed>((resolve, reject) => {
      queue.push({ orders, once, applied, resolve, reject });
      running ??= Promise.resolve().then(drain);
    });
  }
  return {
    async send(command, { once, ...order }) {
      const orders = [{ ...order, command } as UnitOrder];
      const ending = await enqueue(once ? { orders, once: ofTheFirst(once) } : { orders });
      return (Array.isArray(ending) ? ending[0] : ending) as Outcome<never>;
    },
    sendAll: (orders, once = null) => enqueue({ orders, once }),
    async apply(applied, orders) {
      await enqueue({ orders, applied });
    },
    async close() {
      while (running) await running;
      await connection.close();
    },
  };
}

const ofTheFirst = <State>(once: Once<Done<State>>): Once<Done<unknown>[]> => ({
  ...once,
  answer: ([first]) => once.answer(first as Done<State>),
});

/** The units at the head of the queue that make at most `maxBatch` commands; one at least. */
function nextBatch(queue: Unit[]): Unit[] {
  let commands = 0;
  const end = queue.findIndex(({ orders }) => {
    commands += Math.max(orders.length, 1);
    return commands > maxBatch;
  });
  return end === -1 ? queue : queue.slice(0, Math.max(end, 1));
}
