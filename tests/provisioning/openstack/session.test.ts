import { describe, expect, test } from "bun:test";
import type { Site } from "../../../src/provisioning/drivers/driver.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { recorded } from "./cloud/recordings.ts";
import { never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, codeOf, expectAway, machine, password, stage } from "./stage.ts";

const held = stage();
const vm = (site: Site = held.site) => serviceOf(site, "VM", machine);
const signIns = () => held.cloud.callsOf("POST identity /v3/auth/tokens");
const credential = {
  applicationCredentialId: "credential-1",
  applicationCredentialSecret: "secret-of-credential-1",
};

describe("the session with Keystone", () => {
  test("is shared by all that is done on a cluster", async () => {
    await Promise.all([takeAll(vm()), takeAll(vm()), takeAll(vm())]);
    expect(signIns()).toHaveLength(1);
  });

  test("names user, project and their domains", async () => {
    const site = clusterOn(held.cloud, {}, { domainName: "Sales" });
    await take(vm(site), "ALLOCATE");
    const other = JSON.stringify({ ...JSON.parse(password), userDomainName: "People" });
    await take(vm(clusterOn(held.cloud, {}, { secretText: other } as any)), "ALLOCATE");
    const [first, second] = signIns().map(({ body }) => body.auth);
    expect(first.identity.password.user.domain).toEqual({ name: "Sales" });
    expect(first.scope).toEqual({ project: { name: "cloud", domain: { name: "Sales" } } });
    expect(second.identity.password.user.domain).toEqual({ name: "People" });
    expect(second.scope.project.domain).toEqual({ name: "Default" });
  });

  test("takes an application credential, which names no project", async () => {
    const site = clusterOn(held.cloud, {}, {
      projectName: null,
      secretText: JSON.stringify(credential),
    } as any);
    await takeAll(vm(site));
    expect(signIns().map(({ body }) => Object.keys(body.auth))).toEqual([["identity"]]);
  });

  test("finds Keystone with and without /v3 in the address", async () => {
    for (const authUrl of [
      held.cloud.authUrl,
      held.cloud.authUrl.replace("/v3", ""),
      `${held.cloud.authUrl}/`,
    ])
      await take(vm({ ...held.site, id: authUrl, authUrl }), "ALLOCATE");
    expect(signIns()).toHaveLength(3);
  });

  test("is renewed before its token ends", async () => {
    held.cloud.life.seconds = 0.05;
    await take(vm(), "ALLOCATE");
    const before = signIns().length;
    await Bun.sleep(60);
    held.cloud.life.seconds = 3600;
    await takeAll(vm());
    await takeAll(vm());
    expect(signIns()).toHaveLength(before + 1);
  });

  test("is renewed once for all who find that its token has ended", async () => {
    const services = [vm(), vm(), vm()];
    for (const service of services) await take(service, "ALLOCATE");
    held.cloud.identity.forgetTokens();
    await Promise.all(services.map((service) => take(service, "CONFIGURE")));
    expect(signIns()).toHaveLength(2);
  });

  test("ends where a fresh token is refused as well", async () => {
    const refused = { status: 401, body: { error: { code: 401, message: "no" } } };
    held.cloud.trouble("GET compute /v2.1/servers/detail", refused, 2);
    expect(await codeOf(take(vm(), "ALLOCATE"))).toBe("AUTHENTICATION_FAILED");
    expect(signIns()).toHaveLength(2);
  });

  test("is made anew when the cluster or its secret has changed", async () => {
    let secret = password;
    const site = { ...held.site, secret: async () => secret };
    await take(vm(site), "ALLOCATE");
    secret = JSON.stringify(credential);
    await take(vm(site), "ALLOCATE");
    await take(vm({ ...site, version: 2 }), "ALLOCATE");
    expect(signIns()).toHaveLength(3);
  });

  test("is tried again after Keystone was away", async () => {
    held.cloud.trouble("POST identity", "cut", 3);
    await expectAway(take(vm(), "ALLOCATE"));
    await take(vm(), "ALLOCATE");
  });

  const wrong: [what: string, change: object, code: string][] = [
    [
      "a wrong password",
      { secretText: '{"username":"landfall","password":"guess"}' },
      "AUTHENTICATION_FAILED",
    ],
    ["an unknown project", { projectName: "nowhere" }, "AUTHENTICATION_FAILED"],
    [
      "a wrong application credential",
      { secretText: JSON.stringify({ ...credential, applicationCredentialSecret: "guess" }) },
      "AUTHENTICATION_FAILED",
    ],
    ["credentials that are not JSON", { secretText: "s3cr3t" }, "CREDENTIALS_INVALID"],
    ["credentials of another shape", { secretText: '{"user":"s3cr3t"}' }, "CREDENTIALS_INVALID"],
    ["an empty password", { secretText: '{"username":"landfall","password":""}' }, "CREDENTIALS_INVALID"],
    ["no authUrl", { authUrl: null }, "CLUSTER_INVALID"],
    ["an authUrl that is none", { authUrl: "file:///etc/passwd" }, "CLUSTER_INVALID"],
    ["no project", { projectName: null }, "CLUSTER_INVALID"],
    ["an interface that is none", { metadata: { interface: "secret" } }, "CLUSTER_INVALID"],
    ["a network that is no text", { metadata: { networkId: 7 } }, "CLUSTER_INVALID"],
    ["a region that the catalogue has not", { region: "Moon" }, "SERVICE_MISSING"],
    ["an interface that the catalogue has not", { metadata: { interface: "admin" } }, "SERVICE_MISSING"],
  ];
  for (const [what, change, code] of wrong)
    test(`fails for good with ${what}`, async () => {
      const site = { ...held.site, ...clusterOn(held.cloud, {}, change as any), ...change };
      expect(await codeOf(take(vm(site), "ALLOCATE"))).toBe(code);
      const checks = await openstack.probe(site, never);
      expect(checks.filter(({ ok }) => !ok)).toHaveLength(1);
      expect(JSON.stringify(checks)).not.toMatch(/s3cr3t|guess/);
    });

  test("is opened in the region and at the interface that the cluster names", async () => {
    const site = clusterOn(
      held.cloud,
      { interface: "internal", regionName: "RegionOne" },
      { region: "eu-1" },
    );
    await take(vm(site), "ALLOCATE");
  });

  test("fails at once with a catalogue that is made to be slow", async () => {
    const slow = recorded("sign-in");
    for (const { endpoints } of slow.body.token.catalog)
      for (const endpoint of endpoints) endpoint.url = `http://${"/".repeat(200_000)}x`;
    held.cloud.trouble("POST identity", {
      ...slow,
      headers: { ...slow.headers, "x-subject-token": "token" },
    });
    expect(await codeOf(take(vm(), "ALLOCATE"))).toBe("UNEXPECTED_ANSWER");
  }, 1000);
});
