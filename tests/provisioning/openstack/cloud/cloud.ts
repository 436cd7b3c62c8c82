import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Asked, type Reply, type Routes, reply, route } from "./answer.ts";
import { cinder } from "./cinder.ts";
import { glance } from "./glance.ts";
import { keystone } from "./keystone.ts";
import { neutron } from "./neutron.ts";
import { nova } from "./nova.ts";

/** What goes wrong with a call: no answer or the connection cut, before or after it was done, another answer, or its own when the time has come. */
export type Trouble = "hang" | "hang after" | "cut" | "cut after" | Reply | Promise<void>;

/**
 * An OpenStack that answers over HTTP as the recorded one did, and keeps what is made on it. Things take `looks` looks
 * instead of time. `await using` ends it.
 */
export async function openOpenStack() {
  const pace = { looks: 1 };
  const life = { seconds: 3600 };
  const troubles: { fits: string; trouble: Trouble; left: number; met: () => void }[] = [];
  const calls: Asked[] = [];
  let root = "";
  const hidden = new Set<string>();
  const identity = keystone(() => root, life, hidden);
  const compute = nova(pace);
  const network = neutron(compute.servers);
  const volume = cinder(pace);
  const image = glance();
  const services: Record<string, Routes> = {
    compute: { ...compute.routes, ...volume.attachments },
    network: network.routes,
    volume: volume.routes,
    image: image.routes,
  };
  const refusals = {
    compute: "nova-bad-token",
    network: "neutron-bad-token",
    volume: "cinder-bad-token",
    image: "glance-bad-token",
  } as const;

  function answer(asked: Asked): Reply {
    if (asked.service === "identity") return identity.signIn(asked);
    if (!identity.knows(asked.headers["x-auth-token"]))
      return reply(refusals[asked.service as keyof typeof refusals]);
    const found = route(services[asked.service] ?? {}, asked);
    if (found) return found;
    throw new Error(`The test's OpenStack does not know ${asked.method} ${asked.service} ${asked.path}.`);
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const asked = await read(request);
    calls.push(asked);
    const name = `${asked.method} ${asked.service} ${asked.path}`;
    const at = troubles.findIndex(({ fits }) => name.startsWith(fits));
    const met = troubles[at];
    if (met && --met.left === 0) troubles.splice(at, 1);
    const trouble = met?.trouble;
    if (trouble instanceof Promise) met?.met();
    if (trouble instanceof Promise) await trouble;
    const done =
      !trouble || trouble instanceof Promise || trouble === "cut after" || trouble === "hang after";
    const answered = done ? answer(asked) : null;
    met?.met();
    if (trouble === "hang" || trouble === "hang after") return;
    if (trouble === "cut" || trouble === "cut after") return void request.socket.destroy();
    const { status, headers, body } = answered ?? (trouble as Reply);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === "" ? "" : typeof body === "string" ? body : JSON.stringify(body));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    authUrl: `${root}/identity/v3`,
    pace,
    life,
    /** Types of service that the catalogue of the next sign-in leaves out. */
    hidden,
    identity,
    compute,
    network,
    volume,
    image,
    calls,
    /** The calls so far that begin so, such as `POST compute /v2.1/servers`. */
    callsOf: (start: string) =>
      calls.filter(({ method, service, path }) => `${method} ${service} ${path}`.startsWith(start)),
    /** From now on such calls meet trouble, so many times; resolves when the first has, and its work is done. */
    trouble: (fits: string, trouble: Trouble, times = 1) =>
      new Promise<void>((resolve) => {
        troubles.push({ fits, trouble, left: times, met: resolve });
      }),
    /** Ends all troubles. */
    calm: () => {
      troubles.length = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type OpenStack = Awaited<ReturnType<typeof openOpenStack>>;

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const [, service = "", ...rest] = pathname.split("/");
  return {
    method: request.method ?? "",
    service,
    path: `/${rest.join("/")}`,
    query: searchParams,
    headers: request.headers,
    body: text ? JSON.parse(text) : null,
  };
}
