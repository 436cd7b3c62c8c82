import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { cluster } from "../../actors/provisioning/cluster.ts";
import { type Command, originOf } from "../../actors/runtime/actor.ts";
import { decideUnit } from "../../actors/runtime/decide.ts";
import { Draft } from "../../actors/runtime/draft.ts";
import { ServiceError } from "../../schema/errors.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import { CreateCluster, UpdateCluster } from "../../schema/provisioning/cluster-bodies.ts";
import type { World } from "../../schema/world.ts";

/* Clusters without a mailbox: any sequence of commands, all in one batch. */

interface Sent {
  name: "create" | "update" | "delete" | "note-health";
  /** The cluster, by its place among all that were ever made. */
  at: number;
  input: object;
  placed: number;
}

const url = fc.constantFrom("https://a.example.com", "https://b.example.com", null);
const changes = fc
  .record(
    {
      name: fc.constantFrom("Rack 4", "Rack 5"),
      region: fc.constantFrom("attic", "cellar"),
      authUrl: url,
      apiUrl: url,
      credentialsRef: fc.constantFrom("env:A", "file:b", null),
      supportedResourceTypes: fc.constantFrom(["VM"], [], null),
      isDefault: fc.boolean(),
      provisioningEnabled: fc.boolean(),
      capacity: fc.constantFrom({ vcpu: 4 }, {}, null),
      metadata: fc.constantFrom({ a: { b: 1 } }, {}, null),
    },
    { requiredKeys: [] },
  )
  .map((body) => v.parse(UpdateCluster, body));
const creation = fc
  .record({ type: fc.constantFrom("OPENSTACK", "PROXMOX"), isDefault: fc.boolean() })
  .map((body) => v.parse(CreateCluster, { name: "Rack 4", region: "attic", ...body }));
const note = fc.record({ ok: fc.boolean(), version: fc.integer({ min: 1, max: 3 }) });
const at = fc.nat(2);
const placed = fc.constantFrom(0, 0, 2);
const some = (weight: number, name: Sent["name"], input: fc.Arbitrary<object>) => ({
  weight,
  arbitrary: fc.record({ name: fc.constant(name), at, input, placed }),
});
const sent: fc.Arbitrary<Sent[]> = fc.array(
  fc.oneof(
    some(2, "create", creation),
    some(3, "update", changes),
    some(1, "delete", fc.constant({})),
    some(3, "note-health", note),
  ),
  { minLength: 5, maxLength: 25 },
);

const origin = originOf("tests", { requestId: "request-1", correlationId: "correlation-1" });

/** Sends the commands; calls `look` after each with what there was and is, and how it ended. */
function live(
  commands: Sent[],
  look: (command: Sent, before: Cluster[], after: Cluster[], ending: string) => void,
) {
  let made = 0;
  const world = { platform: "landfall", newId: () => `id-${made++}` } as World;
  const draft = new Draft(new Date(0));
  draft.knowWhole(cluster.table);
  const all = () => structuredClone(draft.all(cluster)) as Cluster[];
  commands.forEach((command, second) => {
    const { name, input, placed } = command;
    const id = name === "create" ? world.newId() : `id-${command.at}`;
    const orders = [{ command: cluster[name] as Command, id, input, origin }];
    const unit = { orders, once: null, applied: null, resolve() {}, reject() {} };
    const before = all();
    let ending = id;
    try {
      // The audit takes ids too: they are not to be those of clusters.
      const facts = () => (name === "delete" ? { placed } : {});
      const quiet = { ...world, newId: () => "audit" };
      decideUnit(quiet, draft, unit, new Date(1000 * second), facts);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      ending = error.code;
    }
    look(command, before, all(), ending);
  });
}
const always = (look: Parameters<typeof live>[1]) =>
  fc.assert(
    fc.property(sent, (commands) => live(commands, look)),
    { numRuns: 1000 },
  );

describe("any life of clusters:", () => {
  test("a type has one default at most", () => {
    always((_, __, after) => {
      const defaults = after.filter(({ isDefault }) => isDefault).map(({ type }) => type);
      expect(new Set(defaults).size).toBe(defaults.length);
    });
  });

  test("whoever is to be the default is, and all that a command touches beside it are those it deposes", () => {
    always(({ name, input }, before, after, id) => {
      const own = after.find((one) => one.id === id);
      const { isDefault } = input as { isDefault?: boolean };
      if (own && isDefault !== undefined) expect(own.isDefault).toBe(isDefault);
      for (const other of after.filter((one) => one.id !== id)) {
        const was = before.find((one) => one.id === other.id) as Cluster;
        const { version, updatedAt } = other;
        const deposed = own && was.isDefault && isDefault && was.type === own.type && name !== "delete";
        expect(other).toEqual(deposed ? { ...was, isDefault: false, version, updatedAt } : was);
        expect(version).toBe(was.version + Number(deposed ?? false));
      }
    });
  });

  test("a refusal changes nothing", () => {
    always((_, before, after, ending) => {
      if (!ending.startsWith("id-")) expect(after).toEqual(before);
    });
  });

  test("one that requests are placed on stays", () => {
    always(({ name, at, placed }, before, after, ending) => {
      if (name !== "delete" || !before.some(({ id }) => id === `id-${at}`)) return;
      expect([ending, after.some(({ id }) => id === `id-${at}`)]).toEqual(
        placed > 0 ? ["in_use", true] : [`id-${at}`, false],
      );
    });
  });

  test("it is known how one does from the first test on, until it is reached in another way", () => {
    always(({ name, input }, before, after, id) => {
      for (const one of after) expect(one.statusSince === null).toBe(one.status === "UNKNOWN");
      const [was, is] = [before, after].map((some) => some.find((one) => one.id === id));
      if (!was || !is) return;
      const { ok, version } = input as { ok?: boolean; version?: number };
      if (name === "note-health") {
        const heard = version === was.version;
        expect(is.status).toBe(heard ? (ok ? "HEALTHY" : "UNHEALTHY") : was.status);
        expect([is.version, is.updatedAt]).toEqual([was.version, was.updatedAt]);
        if (is.status === was.status) expect(is.statusSince).toEqual(was.statusSince);
      } else {
        const reached = ({ authUrl, apiUrl, credentialsRef }: Cluster) => [authUrl, apiUrl, credentialsRef];
        const same = Bun.deepEquals(reached(was), reached(is));
        expect(is.status).toBe(same ? was.status : "UNKNOWN");
      }
    });
  });

  test("an update changes what it names alone, and counts where that is another", () => {
    always(({ name, input }, before, after, id) => {
      const [was, is] = [before, after].map((some) => some.find((one) => one.id === id));
      if (name !== "update" || !was || !is) return;
      const { version, updatedAt, status, statusSince, ...rest } = is;
      const wanted = { ...was, ...input };
      expect(rest).toEqual(
        Object.fromEntries(Object.keys(rest).map((key) => [key, (wanted as any)[key]])) as any,
      );
      const differs = !Bun.deepEquals(wanted, was);
      expect([version, updatedAt > was.updatedAt]).toEqual([was.version + Number(differs), differs]);
    });
  });
});
