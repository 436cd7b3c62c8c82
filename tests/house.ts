import { randomBytes } from "node:crypto";
import type { RowDataPacket } from "mysql2";
import type { Config } from "../src/config.ts";
import { seedAdmin, seedCluster } from "../src/seed.ts";
import { type Program, startLandfall } from "../src/start.ts";
import { streamOf, type Topic } from "../streams/topics.ts";
import { ownConfig } from "./config.ts";

/** An answer as a client reads it. */
export interface Answer<T = any> {
  status: number;
  headers: Headers;
  /** The whole body. */
  body: any;
  /** What is in the envelope. */
  data: T;
}

/** Someone who calls the API. */
export interface Person {
  token: string;
  id: string;
  tenantId: string;
  call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

export const adminEmail = "admin@landfall.test";
export const password = "correct horse battery";

/** A whole running Landfall of one's own, with an ADMIN and the simulated cluster. `await using` or `close()` ends it. */
export async function openHouse(options: { config?: Config; now?: () => Date; samples?: boolean } = {}) {
  const config = options.config ?? ownConfig();
  const program = await startLandfall(config, options.now ? { now: options.now } : {});
  await seedAdmin(program.landfall, adminEmail, password);
  if (options.samples !== false) await seedCluster(program.landfall);
  return houseOf(program);
}
export type House = Awaited<ReturnType<typeof openHouse>>;

/** Ways to use a running program. */
export function houseOf(program: Program) {
  const { world } = program.landfall;
  async function call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${program.url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text !== "" && /[/+]json/.test(response.headers.get("content-type") ?? "");
    const parsed = isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body: parsed, data: parsed?.data };
  }
  const bearer = (token: string, id: string, tenantId: string): Person => ({
    token,
    id,
    tenantId,
    call: (method, path, body, headers) =>
      call(method, path, body, { Authorization: `Bearer ${token}`, ...headers }),
  });
  const signedIn = ({ data }: Answer) => bearer(data.accessToken, data.user.id, data.user.tenantId);

  let appointer: Promise<Person> | undefined;

  return {
    program,
    world,
    call,
    /** A new customer with a tenant of their own. */
    async signUp(): Promise<Person> {
      const email = `${randomBytes(6).toString("hex")}@example.com`;
      return signedIn(await call("POST", "/api/identity/auth/register", { email, password, name: "Ada" }));
    },
    /** A member of staff with these roles, in the tenant `platform`; made by one token of 15 minutes. */
    async staff(...roles: string[]): Promise<Person> {
      const email = `${randomBytes(6).toString("hex")}@landfall.test`;
      appointer ??= this.admin();
      await (await appointer).call("POST", "/api/identity/users", { email, password, name: "Grace", roles });
      return signedIn(await call("POST", "/api/identity/auth/login", { email, password }));
    },
    async admin(): Promise<Person> {
      return signedIn(await call("POST", "/api/identity/auth/login", { email: adminEmail, password }));
    },
    /** A service token, from an API key of kind `service`. */
    async service(admin: Person): Promise<Person> {
      const key = await admin.call("POST", "/api/identity/api-keys", { name: "test", kind: "service" });
      const token = await call<any>("POST", "/api/identity/auth/service-token", undefined, {
        "X-API-Key": key.data.key,
      });
      return bearer(token.data.accessToken, key.data.id, "");
    },
    /** What was published on a topic about a record, oldest first; waits until there are `count`. */
    async events(topic: Topic, subject: string, count: number): Promise<any[]> {
      const redis = world.connectRedis();
      const found: any[] = [];
      let after = "0";
      try {
        while (found.length < count) {
          const read = await redis.xread("BLOCK", 10_000, "STREAMS", streamOf(world.platform, topic), after);
          if (!read) throw new Error(`${count} of ${topic} did not come; there are ${found.length}.`);
          for (const [id, fields] of read[0]?.[1] ?? []) {
            after = id;
            const envelope = JSON.parse(fields?.[1] ?? "null");
            if (envelope.subject === subject) found.push(envelope);
          }
        }
        return found;
      } finally {
        redis.disconnect();
      }
    },
    /** Waits until a request has a status; its last answer. */
    async until(person: Person, id: string, status: string): Promise<any> {
      for (const deadline = Date.now() + 20_000; Date.now() < deadline; await Bun.sleep(10)) {
        const { data } = await person.call("GET", `/api/provisioning/requests/${id}`);
        if (data.status === status) return data;
      }
      throw new Error(`The request did not become ${status}.`);
    },
    /** Rows of the program's own database. */
    async rows<T = any>(sql: string, values: unknown[] = []): Promise<T[]> {
      const [rows] = await world.pool.query<RowDataPacket[]>(sql, values);
      return rows as T[];
    },
    async close(): Promise<void> {
      await world.pool.query("DROP DATABASE ??", [world.mysql.database]);
      await program.stop();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await this.close();
    },
  };
}

/** The body of a new VM request. */
export const vm = (tenantId: string, metadata?: Record<string, unknown>) => ({
  tenantId,
  orderId: "order-1",
  orderItemId: "item-1",
  resourceType: "VM",
  specification: { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" },
  ...(metadata ? { metadata } : {}),
});
