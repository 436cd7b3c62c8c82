import { type Provider, providers } from "../../src/provisioning/drivers/driver.ts";
import type { House, Person } from "../house.ts";
import { vm } from "../house.ts";

/* Clusters as the tests register them, and what may stand behind them. */

export const path = "/api/clusters";

/** Registers a cluster; its data. No driver works on it unless `more` says otherwise. */
export async function register(admin: Person, more: object = {}): Promise<any> {
  const body = { name: "Rack 4", type: "PROXMOX", region: "attic", ...more };
  const answer = await admin.call("POST", path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.data;
}

/** Orders a VM in a region; its request. */
export async function order(customer: Person, region: string): Promise<any> {
  const body = vm(customer.tenantId);
  const specification = { ...body.specification, region };
  const answer = await customer.call("POST", "/api/provisioning/requests", { ...body, specification });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.data;
}

interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** A server that does with each request as `answer` says, and keeps what it was asked. */
export function openSite(answer: () => Response | Promise<Response> = () => new Response("")) {
  const requests: Asked[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch({ method, url, headers }) {
      requests.push({ method, url, headers: headers.toJSON() });
      return answer();
    },
  });
  return {
    apiUrl: `http://127.0.0.1:${server.port}/`,
    requests,
    close: () => server.stop(true),
    [Symbol.dispose]() {
      server.stop(true);
    },
  };
}

/** Where nobody listens. */
export const nowhere = "http://127.0.0.1:1/";

/** What never answers. */
export const never = () => new Promise<never>(() => {});

/** What is probed in the place of a type of cluster, while it is in use. */
export function standIn(type: keyof typeof providers, probe: Provider["probe"]) {
  const real = providers[type];
  providers[type] = { probe };
  return {
    [Symbol.dispose]() {
      if (real) providers[type] = real;
      else delete providers[type];
    },
  };
}

/** The commands that the audit of a record names, the oldest first. */
export const auditOf = async (house: House, id: string): Promise<string[]> =>
  (await house.rows("SELECT command FROM audit_entries WHERE recordId = ? ORDER BY version", [id])).map(
    ({ command }) => command,
  );
