import { type Answer, vm } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { type Cast, requests } from "./stages.ts";

/** What the tests do with the customer's requests on the simulated cluster. */
export function operatorOf({ house, customer, admin }: Cast) {
  const path = (id: string) => `${requests}/${id}`;
  const get = async (id: string) => (await customer.call("GET", path(id))).data;
  const send = (id: string, command: string, body?: object): Promise<Answer> =>
    admin.call("POST", `${path(id)}/${command}`, body);
  return {
    get,
    send,
    remove: (id: string): Promise<Answer> => customer.call("DELETE", path(id)),
    /** Creates and starts a VM with these faults; its id. */
    async run(simulate: object, region?: string): Promise<string> {
      const body = vm(customer.tenantId, { simulate: { stepMs: 5, ...simulate } });
      const specification = { ...body.specification, ...(region ? { region } : {}) };
      const { data } = await customer.call("POST", requests, { ...body, specification });
      await send(data.id, "start");
      return data.id;
    },
    until: (id: string, status: string) => house.until(customer, id, status),
    /** Waits until the worker is at a step. */
    reaches: (id: string, step: string) => eventually(async () => (await get(id)).currentStep === step),
    /** The commands that the audit names, in order. */
    commandsOf: async (id: string): Promise<string[]> =>
      (await customer.call("GET", `${path(id)}/audit`)).data.map(({ command }: any) => command),
    /** Changes what the simulation does from now on. */
    steer: (id: string, simulate: object) =>
      house.world.pool.query("UPDATE provisioning_requests SET metadata = ? WHERE id = ?", [
        JSON.stringify({ simulate }),
        id,
      ]),
  };
}
export type Operator = ReturnType<typeof operatorOf>;
