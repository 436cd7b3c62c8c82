import type { House, Person } from "../house.ts";

/* Provisioning requests in each of their states, as the tests need them. */

export const requests = "/api/provisioning/requests";

export const steps = ["ALLOCATE", "CONFIGURE", "ACTIVATE", "VERIFY"] as const;

const item = { orderId: "order-1", orderItemId: "item-1" };

/** The body of a request whose type no cluster of the tests takes: it is driven through the API. */
export const backup = (tenantId: string) => ({
  tenantId,
  ...item,
  resourceType: "BACKUP",
  specification: { sourceId: "vm-1", schedule: "0 3 * * *", retentionDays: 7 },
});

/** The body of a request that a person carries out. */
export const manual = (tenantId: string) => ({
  tenantId,
  ...item,
  resourceType: "MANUAL",
  specification: { task: "rack a server" },
});

/** Who takes part: a customer with a request, and an ADMIN. */
export interface Cast {
  house: House;
  customer: Person;
  admin: Person;
}

/** Creates a request and sends it these commands; the last answer's data. Throws when one is refused. */
export async function bring(
  { customer, admin }: Cast,
  body: object,
  ...commands: (string | [command: string, body: object])[]
): Promise<any> {
  let answer = await customer.call("POST", requests, body);
  for (const command of commands) {
    const [name, sent] = typeof command === "string" ? [command] : command;
    answer = await admin.call("POST", `${requests}/${answer.data.id}/${name}`, sent);
  }
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.data;
}

const fault = { code: "NO_CAPACITY", message: "The rack is full." };
const toActive = ["start", ...steps.map(() => "advance")];

/** A request that a rule holds back. */
async function heldBack(cast: Cast): Promise<any> {
  const { id: value } = await holdBack(cast);
  return bring(cast, { ...backup(cast.customer.tenantId), metadata: { hold: value } });
}

/** A rule of the customer's own that holds back the requests whose `metadata.hold` is its `id`. */
export async function holdBack({ admin, customer }: Cast, approval: object = {}): Promise<{ id: string }> {
  const id = Bun.randomUUIDv7();
  const condition = { field: "metadata.hold", operator: "eq", value: id, approval };
  const rule = { name: "Held back", condition, tenantId: customer.tenantId };
  const { status, body } = await admin.call("POST", "/api/approvals/rules", rule);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { id };
}

/** A request that was held back, and turned down. */
async function turnedDown(cast: Cast): Promise<any> {
  const { id } = await heldBack(cast);
  await cast.admin.call("POST", `/api/approvals/${id}/reject`, { adminId: cast.admin.id });
  return (await cast.customer.call("GET", `${requests}/${id}`)).data;
}

/** A request as if a driver had brought it there; none works on it. */
const posed =
  (status: string, ...commands: Parameters<typeof bring>[2][]) =>
  async (cast: Cast) => {
    const { id } = await bring(cast, backup(cast.customer.tenantId), ...commands);
    await cast.house.world.pool.query("UPDATE provisioning_requests SET status = ? WHERE id = ?", [
      status,
      id,
    ]);
    return (await cast.customer.call("GET", `${requests}/${id}`)).data;
  };
const driven =
  (...commands: Parameters<typeof bring>[2][]) =>
  (cast: Cast) =>
    bring(cast, backup(cast.customer.tenantId), ...commands);

/** Makes a request of the customer's in each status. */
export const stages = {
  PENDING_APPROVAL: heldBack,
  PENDING: driven(),
  REJECTED: turnedDown,
  PROVISIONING: driven("start"),
  AWAITING_MANUAL: (cast) => bring(cast, manual(cast.customer.tenantId), "start"),
  ROLLING_BACK: posed("ROLLING_BACK", "start", ["fail", fault]),
  ROLLBACK_FAILED: posed("ROLLBACK_FAILED", "start", ["fail", fault]),
  FAILED: driven("start", ["fail", fault]),
  ACTIVE: driven(...toActive),
  SUSPENDED: driven(...toActive, "suspend"),
  DEPROVISIONING: posed("DEPROVISIONING", ...toActive),
  DEPROVISIONED: posed("DEPROVISIONED", ...toActive),
} satisfies Record<string, (cast: Cast) => Promise<any>>;
export type Stage = keyof typeof stages;

/** The events that were committed about a record, in order: without the platform and the domain in their names. */
export async function eventsAbout(house: House, id: string): Promise<any[]> {
  const rows = await house.rows(
    "SELECT envelope FROM outbox_events WHERE JSON_VALUE(envelope, '$.subject') = ? ORDER BY outbox_events.id",
    [id],
  );
  return rows.map(({ envelope }) => {
    const event = JSON.parse(envelope);
    return { ...event, name: event.type.replace(/^.*\.provisioning\.(.*)\.v1$/, "$1") };
  });
}

/** The names of those events. */
export const storyOf = async (house: House, id: string): Promise<string[]> =>
  (await eventsAbout(house, id)).map(({ name }) => name);

/** Each step's status, in order. */
export const stepStatuses = (request: any): string[] => request.steps.map((step: any) => step.status);

/* The events of a request that a driver carries out, in order. */
export const begun = ["requested", "started"];
export const completed = (times: number): string[] => Array<string>(times).fill("step-completed");
export const activated = [...completed(4), "service-activated", "completed"];
