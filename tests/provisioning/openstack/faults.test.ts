import { describe, expect, test } from "bun:test";
import { refusal, reported } from "../../../src/provisioning/drivers/openstack/faults.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { type RecordingName, recorded } from "./cloud/recordings.ts";
import { never, serviceOf, take } from "./services.ts";
import { clusterOn, codeOf, expectAway, machine, stage } from "./stage.ts";

const held = stage();
const vm = (site = held.site) => serviceOf(site, "VM", machine);
const list = "GET compute /v2.1/servers/detail";

describe("a refusal", () => {
  const codes: [RecordingName, string][] = [
    ["sign-in-wrong-password", "AUTHENTICATION_FAILED"],
    ["nova-bad-token", "AUTHENTICATION_FAILED"],
    ["nova-microversion-too-new", "UNSUPPORTED_VERSION"],
    ["server-quota", "QUOTA_EXCEEDED"],
    ["floating-quota", "QUOTA_EXCEEDED"],
    ["network-quota", "QUOTA_EXCEEDED"],
    ["volume-quota", "QUOTA_EXCEEDED"],
    ["diagnostics-forbidden", "FORBIDDEN"],
    ["server-bad-image", "IMAGE_NOT_FOUND"],
    ["server-bad-flavor", "NO_FLAVOR"],
    ["server-bad-network", "NETWORK_NOT_FOUND"],
    ["server-ambiguous-network", "NETWORK_REQUIRED"],
    ["network-bad-floating", "NETWORK_NOT_REACHABLE"],
    ["floating-ip-unreachable", "NETWORK_NOT_REACHABLE"],
    ["key-pair-bad", "INVALID_SSH_KEY"],
    ["server-bad-key", "INVALID_REQUEST"],
    ["server-long-name", "INVALID_REQUEST"],
    ["subnet-overlap", "INVALID_REQUEST"],
    ["subnet-32", "INVALID_REQUEST"],
    ["volume-bad-type", "VOLUME_TYPE_NOT_FOUND"],
    ["network-in-use", "IN_USE"],
    ["stop-stopped", "CONFLICT"],
    ["server-gone", "NOT_FOUND"],
    ["image-missing", "NOT_FOUND"],
  ];
  for (const [name, code] of codes)
    test(`as recorded at ${name} is ${code}`, () => {
      const { status, body } = recorded(name);
      expect(refusal("compute", status, body)).toMatchObject({ code, status });
    });

  const said = (message: string, status = 400) =>
    refusal("compute", status, { badRequest: { code: status, message } });

  test("tells the tenant what it means, and the log what the cluster said", () => {
    const { status, body } = recorded("server-quota");
    expect(refusal("compute", status, body)).toMatchObject({
      message: "The quota on the cluster does not allow it.",
      cause: { message: "Quota exceeded for cores: Requested 2, but already used 0 of 1 cores" },
    });
  });

  const hosts: [status: number, said: string, sentence: string][] = [
    [400, "Bad thing at compute-17.internal.", "The cluster takes the order for invalid."],
    [409, "Instance 5f is on compute-17.internal", "The cluster can't do it now."],
    [418, "compute-17.internal is a teapot", "The compute service answered 418."],
    [403, "compute-17.internal forbids it", "The cluster does not allow it."],
    [400, "No valid host but compute-17.internal", "The cluster has no room for it."],
  ];
  for (const [status, text, sentence] of hosts)
    test(`names no host to the tenant: ${sentence}`, () => {
      expect(said(text, status)).toMatchObject({ message: sentence, cause: { message: text } });
    });

  const hostile = [
    "<".repeat(200_000),
    "image".repeat(40_000),
    `network ${"network x".repeat(20_000)}`,
    "maximum number of ".repeat(10_000),
    "a://".repeat(50_000),
    "x".repeat(16 * 1024 * 1024),
  ];
  for (const text of hostile)
    test(`is read at once, though it says "${text.slice(0, 12)}" without end`, () => {
      expect(said(text).cause).toBeInstanceOf(Error);
      expect(refusal("compute", 400, { badRequest: text }).code).toBe("INVALID_REQUEST");
      expect(reported(text, "BUILD_FAILED", "The machine can't run.").code).toBe("BUILD_FAILED");
    }, 1000);

  test("repeats nothing of what was sent, no address, no token and no markup", () => {
    const shown = (text: string) => (said(text).cause as Error).message;
    expect(shown("Invalid input for field/attribute user_data. Value: s3cr3t. 's3cr3t' is too long")).toBe(
      "Invalid input for field/attribute user_data.",
    );
    expect(shown(`Sent to http://10.0.0.1:8774/v2 with ${"gAAAAA".repeat(9)}`)).toBe("Sent to … with …");
    expect(shown("<html><b>bad\u0000\u202e\n  thing</b></html>.")).toBe("bad thing .");
    expect(shown("long ".repeat(100))).toMatch(/^.{300}…$/);
    expect(refusal("compute", 400, "text").cause).toBeUndefined();
  });

  test("is not hidden where it is of no known kind", () => {
    expect(refusal("compute", 418, null)).toMatchObject({ code: "UNEXPECTED_ANSWER" });
  });
});

describe("a machine in an error", () => {
  const reasons: [said: string, code: string][] = [
    [recorded("server-error").body.server.fault.message, "NO_CAPACITY"],
    [
      "Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures",
      "NO_CAPACITY",
    ],
    ["No more IP addresses available on network 5f.", "NO_ADDRESS"],
    ["Build of instance 5f aborted: Failure prepping block device.", "BUILD_FAILED"],
    ["", "BUILD_FAILED"],
  ];
  for (const [said, code] of reasons)
    test(`of which it is said "${said.slice(0, 40)}" is ${code}`, () => {
      expect(reported(said, "BUILD_FAILED", "The cluster could not run the machine.").code).toBe(code);
    });
});

describe("a service that is away", () => {
  for (const status of [429, 500, 502, 503, 504])
    test(`with ${status} is asked again, and the step goes on`, async () => {
      held.cloud.trouble(list, { status, headers: { "retry-after": "0" }, body: "<html>busy</html>" }, 2);
      await take(vm(), "ALLOCATE");
    });

  test("for longer is left to the job, which tries again", async () => {
    held.cloud.trouble(list, { status: 503, body: "" }, 3);
    const service = vm();
    const fault = await expectAway(take(service, "ALLOCATE"));
    expect(fault.message).toBe("The compute service answered 503.");
    await take(service, "ALLOCATE");
  });

  test("is asked again after a deletion that was lost, and what is gone is fine", async () => {
    const service = vm();
    const { instanceId } = await take(service, "ALLOCATE");
    held.cloud.pace.looks = 0;
    held.cloud.trouble(`DELETE compute /v2.1/servers/${instanceId}`, "cut after");
    await openstack.destroy(service, never);
    expect(held.cloud.compute.servers.has(instanceId as string)).toBe(false);
    held.cloud.pace.looks = 1;
  });

  test("is not asked again to make something", async () => {
    held.cloud.trouble("POST compute /v2.1/servers", { status: 503, body: "" }, 1);
    const service = vm();
    await expectAway(take(service, "ALLOCATE"));
    expect(held.cloud.callsOf("POST compute /v2.1/servers")).toHaveLength(1);
    await take(service, "ALLOCATE");
  });

  test("never holds a call longer than its time", async () => {
    const site = clusterOn(held.cloud, { callTimeoutSeconds: 0.3 });
    held.cloud.trouble(list, "hang");
    await expectAway(take(vm(site), "ALLOCATE"));
    expect(held.cloud.callsOf(list)).toHaveLength(1);
  });

  test("does not hold a step that was ended", async () => {
    const stopped = new AbortController();
    const met = held.cloud.trouble(list, "hang");
    const step = openstack.step("ALLOCATE", vm(), stopped.signal).catch((error) => error);
    await met;
    const reason = new Error("late");
    stopped.abort(reason);
    expect(await step).toBe(reason);
  });
});

describe("an answer", () => {
  const odd: [what: string, answer: { status: number; headers?: Record<string, string>; body: unknown }][] = [
    ["is not JSON", { status: 200, body: "<html>Hello</html>" }],
    ["has another shape", { status: 200, body: { servers: [{ id: 7 }] } }],
    ["leads elsewhere", { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" }],
    ["is of no end", { status: 200, body: `"${"x".repeat(17 * 1024 * 1024)}"` }],
  ];
  for (const [what, answer] of odd)
    test(`that ${what} fails the step`, async () => {
      held.cloud.trouble(list, answer);
      expect(await codeOf(take(vm(), "ALLOCATE"))).toBe("UNEXPECTED_ANSWER");
    });

  test("of another type of resource is not waited for", async () => {
    const service = serviceOf(held.site, "DATABASE", {});
    expect(await codeOf(take(service, "ALLOCATE"))).toBe("UNSUPPORTED_RESOURCE_TYPE");
    await openstack.undo("ALLOCATE", service, never);
    await openstack.suspend(service, never);
    await openstack.resume(service, never);
    await openstack.destroy(service, never);
    expect(await openstack.metrics(service, never)).toEqual({ gauges: {}, counters: {} });
    expect(held.cloud.calls).toEqual([]);
  });

  test("that forbids diagnostics means that nothing can be measured", async () => {
    const service = vm();
    const { instanceId } = await take(service, "ALLOCATE");
    const answer = recorded("diagnostics-forbidden");
    held.cloud.trouble(`GET compute /v2.1/servers/${instanceId}/diagnostics`, answer);
    expect(await openstack.metrics(service, never)).toEqual({ gauges: {}, counters: {} });
  });
});
