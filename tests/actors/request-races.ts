import { eq } from "drizzle-orm";
import fc from "fast-check";
import type { Origin } from "../../actors/runtime/actor.ts";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import { ServiceError } from "../../schema/errors.ts";
import { provisioningRequests, type RequestState } from "../../schema/provisioning/request.ts";
import { createWorld } from "../../src/world.ts";
import { type House, type Person, vm } from "../house.ts";
import { backup, eventsAbout, manual, requests } from "../provisioning/stages.ts";
import { eventually } from "../streams/bus.ts";
import { commands, inputs } from "./requests.ts";

/* Several senders, and the worker, at one request at once. */

const bodies = {
  driver: (tenantId: string) => vm(tenantId, { simulate: { stepMs: 2 } }),
  api: backup,
  manual,
};

/** In the outputs that are sent. */
export const secret = "correct-horse-credential";
export const address = "10.11.12.13";
const sent: Record<string, object> = {
  advance: { output: { ipAddress: address, credentials: { password: secret } } },
  "manual-complete": { credentials: { password: secret } },
  fail: inputs["fail"] as object,
};

/** What a command came to: the version it made, or its refusal. */
interface Ending {
  command: string;
  version?: number;
  refusal?: { code: string; from?: string; command?: string; allowed?: string[] };
}
type Send = (id: string, command: string) => Promise<Ending>;

/** A line of the audit. */
export interface Entry {
  version: number;
  command: string;
  from: string | null;
  to: string;
  actorKind: string;
  detail: { error?: object } | null;
}

/** What is left of a request when all have sent what they had to send, and the worker is done. */
export interface Race {
  hand: keyof typeof bodies;
  endings: Ending[];
  trail: Entry[];
  state: RequestState;
  events: { name: string; sequence: number }[];
}

const often = ["start", "advance", "advance", "suspend", "reactivate"];
const seldom = ["fail", "retry", "manual-complete"];
const list = fc.array(fc.constantFrom(...often, ...often, ...seldom), { minLength: 8, maxLength: 20 });
/** What each of three sends; a deletion is an end, so it comes last. */
const plan = fc.record({
  hand: fc.constantFrom("driver", "api", "manual"),
  lists: fc.tuple(
    list.map((commands) => ["start", ...commands]),
    list,
    list.map((commands) => [...commands, "delete"]),
  ),
});
type Plan = ReturnType<typeof plan.generate>["value"];

/** Races of an ADMIN and a service over HTTP, and of another process, each about a request of its own. */
export async function races(house: House, count: number): Promise<Race[]> {
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const world = createWorld(house.program.landfall.config);
  const mailbox = openMailbox(world);
  const senders = [overHttp(admin), overHttp(await house.service(admin)), fromElsewhere(mailbox)];
  try {
    return await Promise.all(fc.sample(plan, count).map((each) => race(house, customer, senders, each)));
  } finally {
    await mailbox.close();
    await world.close();
  }
}

const overHttp =
  (person: Person): Send =>
  async (id, command) => {
    const path = `${requests}/${id}`;
    const { status, data, body } =
      command === "delete"
        ? await person.call("DELETE", path)
        : await person.call("POST", `${path}/${command}`, sent[command]);
    return status < 300 ? { command, version: data.version } : { command, refusal: body };
  };

const caller = { id: "elsewhere", kind: "service", tenantId: null, roles: [] } as const;
const origin: Origin = { caller, scope: null, requestId: "r", correlationId: "c", causationId: null };

const fromElsewhere =
  (mailbox: Mailbox): Send =>
  async (id, command) => {
    try {
      const order = { id, input: inputs[command] ?? {}, origin };
      const outcome = await mailbox.send(commands.get(command) as never, order);
      return { command, version: (outcome as { state: RequestState }).state.version };
    } catch (refusal) {
      if (!(refusal instanceof ServiceError)) throw refusal;
      return { command, refusal: { code: refusal.code, ...refusal.extra } };
    }
  };

/** Each sends the commands of its list one after the other, and all at once. */
async function race(house: House, customer: Person, senders: Send[], { hand, lists }: Plan): Promise<Race> {
  const { data } = await customer.call("POST", requests, bodies[hand](customer.tenantId));
  const id: string = data.id;
  const sendAll = async (send: Send, commands: string[]) => {
    const endings: Ending[] = [];
    for (const command of commands) endings.push(await send(id, command));
    return endings;
  };
  const endings = await Promise.all(senders.map((send, i) => sendAll(send, lists[i] ?? [])));
  await eventually(async () => (await house.rows("SELECT id FROM jobs WHERE `key` = ?", [id])).length === 0);
  const [state] = await house.world.db
    .select()
    .from(provisioningRequests)
    .where(eq(provisioningRequests.id, id));
  const trail = await house.rows<Entry>(
    `SELECT version, command, \`from\`, \`to\`, actorKind, detail FROM audit_entries
      WHERE recordId = ? ORDER BY version`,
    [id],
  );
  const events = await eventsAbout(house, id);
  return { hand, endings: endings.flat(), trail, state: state as RequestState, events };
}
