import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import type { Site } from "../../../src/provisioning/drivers/driver.ts";
import { DriverError } from "../../../src/provisioning/drivers/driver-error.ts";
import { type OpenStack, openOpenStack } from "./cloud/cloud.ts";
import { siteOf } from "./services.ts";

export const password = JSON.stringify({ username: "landfall", password: "secret-of-landfall" });
export const machine = { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" };

/** An OpenStack for a test file, and a fresh cluster on it for each test. */
export function stage() {
  const held = {} as { cloud: OpenStack; site: Site };
  beforeAll(async () => {
    held.cloud = await openOpenStack();
  });
  beforeEach(() => {
    held.cloud.calls.length = 0;
    held.cloud.calm();
    held.cloud.hidden.clear();
    held.site = clusterOn(held.cloud);
  });
  afterAll(() => held.cloud[Symbol.asyncDispose]());
  return held;
}

/** A cluster on it that is looked at often, with an internal network named where several are there. */
export const clusterOn = (
  cloud: OpenStack,
  metadata: object = {},
  more: Partial<Omit<Site, "authUrl">> = {},
): Site =>
  siteOf({
    authUrl: cloud.authUrl,
    secretText: password,
    ...more,
    metadata: { pollSeconds: 0.001, ...metadata },
  });

/** The `DriverError` that a call ends with; its code. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const fault = await call.then(
    () => null,
    (error) => error,
  );
  if (!(fault instanceof DriverError)) throw new Error(`It ended with ${fault}.`);
  expect(fault.message).toMatch(/^[A-Z].{3,400}[.…]$/s);
  return fault.code;
}

/** That a call fails so that it is tried again. */
export async function expectAway(call: Promise<unknown>): Promise<Error> {
  const fault = await call.then(
    () => null,
    (error) => error,
  );
  expect(fault).toBeInstanceOf(Error);
  expect(fault).not.toBeInstanceOf(DriverError);
  return fault;
}
