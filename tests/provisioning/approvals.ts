import type { Answer, House, Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { backup, bring, type Cast, holdBack, requests, storyOf } from "./stages.ts";

/* Requests that wait for people, as the tests need them. */

export const path = "/api/approvals";

/** An approval of a request, as it is answered. */
export const approvalOf = async (person: Person, id: string): Promise<any> =>
  (await person.call("GET", `${path}/request/${id}`)).data;

/** Says yes or no in one's own name, unless `body` names somebody else. */
export const decide = (
  person: Person,
  verb: "approve" | "reject",
  id: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> => person.call("POST", `${path}/${id}/${verb}`, { adminId: person.id, ...body }, headers);

/** A request of the customer's that waits for an approval on these terms. */
export async function waiting(cast: Cast, terms: object = {}): Promise<any> {
  const { id: hold } = await holdBack(cast, terms);
  return bring(cast, { ...backup(cast.customer.tenantId), metadata: { hold } });
}

/** The request as it is now. */
export const requestOf = async (person: Person, id: string): Promise<any> =>
  (await person.call("GET", `${requests}/${id}`)).data;

/** What the audit of a request tells: who did what, from where to where. */
export const trailOf = async (person: Person, id: string): Promise<any[]> =>
  (await person.call("GET", `${requests}/${id}/audit`)).data.map(
    ({ actor, command, from, to, detail }: any) => ({ actor, command, from, to, detail }),
  );

/** All that can be known of a request: its approval, itself, its audit and its events. */
export const everythingOf = ({ house, admin }: Pick<Cast, "house" | "admin">, id: string): Promise<any[]> =>
  Promise.all([approvalOf(admin, id), requestOf(admin, id), trailOf(admin, id), storyOf(house, id)]);

/** Who said what. */
export const decisionsOf = ({ decisions }: any): [adminId: string, decision: string][] =>
  decisions.map(({ adminId, decision }: any) => [adminId, decision]);

/** Waits until the timer of a request has run out and its work is done, and makes the jobs look at once. */
export const timerRunsOut = (house: House, id: string): Promise<void> =>
  eventually(async () => {
    house.world.waker.wake("jobs");
    return (await timersOf(house, id)).length === 0;
  });

const timersOf = (house: House, id: string) =>
  house.rows("SELECT id FROM jobs WHERE kind = 'provisioning.approval-expiry' AND `key` = ?", [id]);
