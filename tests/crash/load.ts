import { streamOf } from "../../streams/topics.ts";
import { vm } from "../house.ts";
import { backup, requests } from "../provisioning/stages.ts";
import { eventually } from "../streams/bus.ts";
import type { Site } from "./site.ts";

/** What the clients were promised. */
export interface Ledger {
  /** The items sent or told in orders; each becomes one request. */
  items: string[];
  /** The request that each creation was answered with, by item. */
  made: Map<string, string>;
  /** The highest version answered, by request. */
  versions: Map<string, number>;
  /** The events put into the outbox beside the clients. */
  orders: string[];
  /** Those among the events that nobody can handle. */
  poison: string[];
  /** Commands answered with 2xx. */
  answered: number;
  /** Commands answered with 503, as a client can read it. */
  unavailable: number;
  /** Commands whose connection broke. */
  broken: number;
  /** Nothing new is begun. */
  ended: boolean;
  /** Answers that no client should see. */
  faults: string[];
}

/** Before anything was promised. */
export const emptyLedger = (): Ledger => ({
  ...{ items: [], made: new Map(), versions: new Map(), orders: [], poison: [] },
  ...{ answered: 0, unavailable: 0, broken: 0, ended: false, faults: [] },
});

export interface Load {
  readonly ledger: Ledger;
  /** Waits until so many more commands were answered. */
  answers(count: number): Promise<void>;
  /** Lets each client finish what it began, until all of it is answered. */
  end(): Promise<void>;
}

/**
 * Half of the clients create and start requests on the simulated cluster, half drive theirs through the API; each
 * repeats a command with its key until it is answered. Beside them, paid orders come as events. A `ledger` given is
 * gone on with.
 */
export function startLoad(site: Site, { clients = 16, ledger = emptyLedger() } = {}): Load {
  ledger.ended = false;
  const repeat = async (work: () => Promise<unknown>) => {
    while (!isOver(ledger))
      await work().catch((error) => {
        if (ledger.faults.length === 0) throw error;
      });
  };
  const work = Array.from({ length: clients }, (_, i) =>
    repeat(() => (i % 2 === 0 ? beSimulated(site, ledger) : beDriven(site, ledger))),
  );
  work.push(repeat(() => tellOrders(site, ledger)));
  return {
    ledger,
    answers(count) {
      const goal = ledger.answered + count;
      return eventually(() => ledger.answered >= goal || isOver(ledger), 20_000);
    },
    async end() {
      ledger.ended = true;
      await Promise.all(work);
    },
  };
}

/** A step long enough that a crash meets many on their way. */
const slow = { simulate: { stepMs: 30 } };

async function beSimulated(site: Site, ledger: Ledger): Promise<void> {
  const id = await create(site, ledger, vm("tenant-1", slow));
  await insist(site, ledger, `${requests}/${id}/start`);
  await Bun.sleep(30);
}

async function beDriven(site: Site, ledger: Ledger): Promise<void> {
  const id = await create(site, ledger, backup("tenant-1"));
  for (const command of ["start", "advance", "advance", "advance", "advance"]) {
    await insist(site, ledger, `${requests}/${id}/${command}`);
  }
}

/** Creates a request for an item of its own; its id. */
export async function create(site: Site, ledger: Ledger, body: object): Promise<string> {
  const orderItemId = crypto.randomUUID();
  ledger.items.push(orderItemId);
  const { id } = await insist(site, ledger, requests, { ...body, orderItemId });
  ledger.made.set(orderItemId, id);
  return id;
}

/** Whether nothing new is begun; a fault is enough, since what comes after it proves nothing. */
const isOver = ({ ended, faults }: Ledger): boolean => ended || faults.length > 0;

/** Repeats a command with its idempotency key until it is answered with 2xx; notes what was promised. Rejects after a fault. */
export async function insist(site: Site, ledger: Ledger, path: string, body?: object): Promise<any> {
  const key = crypto.randomUUID();
  for (;;) {
    const data = await attempt(site, ledger, path, body, key);
    if (data) return data;
    if (ledger.faults.length > 0) throw new Error("A client saw what it should not.");
    await Bun.sleep(20);
  }
}

async function attempt(site: Site, ledger: Ledger, path: string, body: object | undefined, key: string) {
  const url = await site.door();
  const headers = { "Idempotency-Key": key };
  let answer: Response;
  let text: string;
  try {
    answer = await site.call(url, "POST", path, body, headers);
    text = await answer.text();
  } catch (error) {
    if ((error as Error).name === "TimeoutError") ledger.faults.push(`${path}: no answer within 10 s`);
    ledger.broken += 1;
    return undefined;
  }
  if (!answer.ok) {
    if (isUnavailable(answer)) ledger.unavailable += 1;
    else ledger.faults.push(`${path}: ${answer.status} ${text}`);
    return undefined;
  }
  ledger.answered += 1;
  const { data } = JSON.parse(text);
  ledger.versions.set(data.id, Math.max(data.version, ledger.versions.get(data.id) ?? 0));
  return data;
}

/** Whether an answer tells a client to come again. */
export const isUnavailable = ({ status, headers }: Response): boolean =>
  status === 503 &&
  headers.get("content-type") === "application/problem+json" &&
  Number(headers.get("retry-after")) > 0;

/** One order for every ten commands, however slow the machine is. */
async function tellOrders(site: Site, ledger: Ledger): Promise<void> {
  await tellOrder(site, ledger);
  const goal = ledger.answered + 10;
  await eventually(() => ledger.answered >= goal || isOver(ledger), 30_000);
}

/** A paid order of two items, as an event in the outbox; its id. */
export async function tellOrder(site: Site, ledger: Ledger): Promise<string> {
  const { resourceType, specification } = vm("tenant-1");
  const items = [crypto.randomUUID(), crypto.randomUUID()].map((id) => ({
    ...{ id, productId: "vm-small", resourceType, specification, metadata: slow },
  }));
  ledger.items.push(...items.map(({ id }) => id));
  const eventId = await tell(site, items);
  ledger.orders.push(eventId);
  return eventId;
}

/** A paid order that nobody can read; its event's id. */
export async function tellPoison(site: Site, ledger: Ledger): Promise<string> {
  const eventId = await tell(site, "none");
  ledger.poison.push(eventId);
  return eventId;
}

/** Repeated until the event is surely in the outbox, once; its id. */
async function tell({ world }: Site, items: unknown): Promise<string> {
  const [eventId, orderId] = [world.newId(), crypto.randomUUID()];
  const topic = streamOf(world.platform, "order.provisioning-started");
  const envelope = JSON.stringify({
    ...{ eventId, type: topic, version: 1, occurredAt: world.now(), source: "orders" },
    ...{ correlationId: orderId, causationId: null, tenantId: "tenant-1", subject: orderId, sequence: 4 },
    data: { orderId, status: "PROVISIONING", items, total: 12.5, currency: "EUR" },
  });
  await eventually(async () => {
    const added = world.pool.query(
      `INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) SELECT ?, ?, ?, ?, ?
       FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM outbox_events WHERE eventId = ?)`,
      [eventId, topic, orderId, world.now(), envelope, eventId],
    );
    return added.then(() => true).catch(() => Bun.sleep(20).then(() => false));
  }, 20_000);
  world.waker.wake("relay");
  return eventId;
}
