import { describe, expect, test } from "bun:test";
import type { ResourceType } from "../../../schema/provisioning/specification.ts";
import type { Site } from "../../../src/provisioning/drivers/driver.ts";
import { DriverError } from "../../../src/provisioning/drivers/driver-error.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { recorded } from "./cloud/recordings.ts";
import { never } from "./services.ts";
import { clusterOn, stage } from "./stage.ts";

const held = stage();
const signIns = () => held.cloud.callsOf("POST identity /v3/auth/tokens");

describe("a probe", () => {
  const namesOf = async (site: Site) =>
    (await openstack.probe(site, never)).map(({ name, ok }) => [name, ok]);

  test("signs in and asks Nova, and what else the cluster offers", async () => {
    const first = [
      ["credentials", true],
      ["keystone", true],
      ["compute", true],
    ];
    const offering = (...types: ResourceType[]) =>
      clusterOn(held.cloud, {}, { supportedResourceTypes: types });
    const further = [
      ["network", true],
      ["volume", true],
    ];
    expect(await namesOf(offering("VM"))).toEqual(first);
    expect(await namesOf(offering("VM", "VOLUME", "FLOATING_IP"))).toEqual([...first, ...further]);
    expect(await namesOf(held.site)).toEqual([...first, ...further]);
    const made = held.cloud.calls.filter(({ method, service }) => method !== "GET" && service !== "identity");
    expect(made).toEqual([]);
  });

  test("asks for nothing that the catalogue has not, but where the cluster offers it", async () => {
    held.cloud.hidden.add("network");
    expect((await namesOf(held.site)).map(([name]) => name)).toEqual([
      ...["credentials", "keystone", "compute", "volume"],
    ]);
    const offering = clusterOn(held.cloud, {}, { supportedResourceTypes: ["NETWORK"] });
    expect((await namesOf(offering)).at(-1)).toEqual(["network", false]);
  });

  test("shows operators what the service said", async () => {
    held.cloud.trouble("GET compute /v2.1/flavors", recorded("diagnostics-forbidden"));
    expect((await openstack.probe(held.site, never)).at(-1)).toEqual({
      name: "compute",
      ok: false,
      detail: `The cluster does not allow it: ${recorded("diagnostics-forbidden").body.forbidden.message}`,
    });
  });

  test("signs in each time, so that a password changed is seen", async () => {
    await openstack.probe(held.site, never);
    await openstack.probe(held.site, never);
    expect(signIns()).toHaveLength(2);
  });

  test("says what is missing, and stops there", async () => {
    const reference = new DriverError("CREDENTIALS_MISSING", "The environment variable CLOUD is not set.");
    const site = { ...held.site, secret: () => Promise.reject(reference) };
    expect(await openstack.probe(site, never)).toEqual([
      { name: "credentials", ok: false, detail: reference.message },
    ]);
    held.cloud.trouble("GET compute /v2.1/flavors", "cut", 99);
    expect(await openstack.probe(held.site, never)).toMatchObject([
      { ok: true },
      { ok: true },
      { name: "compute", ok: false, detail: "The compute service can't be reached." },
    ]);
  });

  test("says when nobody answers", async () => {
    const site = clusterOn(held.cloud, { callTimeoutSeconds: 0.05 });
    held.cloud.trouble("POST identity", "hang");
    expect((await openstack.probe(site, never)).at(-1)).toEqual({
      name: "keystone",
      ok: false,
      detail: "The identity service did not answer within 0.05 s.",
    });
    expect(
      (await openstack.probe({ ...held.site, authUrl: "http://127.0.0.1:1" }, never)).at(-1),
    ).toMatchObject({
      name: "keystone",
      ok: false,
      detail: "The identity service can't be reached.",
    });
  });

  test("ends when it is told to", async () => {
    const stopped = new AbortController();
    const met = held.cloud.trouble("GET compute /v2.1/flavors", "hang");
    const probing = openstack.probe(held.site, stopped.signal).catch((error) => error);
    await met;
    const reason = new Error("enough");
    stopped.abort(reason);
    expect(await probing).toBe(reason);
  });
});
