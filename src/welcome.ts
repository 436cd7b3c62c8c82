import type { Config } from "./config.ts";
import type { Program } from "./start.ts";

/** What `dev` prints at its end: the addresses, how to sign in, and three lines from there to a running machine. */
export function newcomerGuide({ url, landfall }: Program, { ADMIN_EMAIL, ADMIN_PASSWORD }: Config): string {
  const { platform } = landfall.world;
  const signIn = JSON.stringify({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
  const order = JSON.stringify({
    tenantId: "tenant-1",
    orderId: "order-1",
    orderItemId: "item-1",
    resourceType: "VM",
    specification: { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" },
  });
  const json = `-H 'Content-Type: application/json'`;
  const token = `-H "Authorization: Bearer $TOKEN"`;
  const requests = `${url}/api/provisioning/requests`;
  return `
Landfall (${platform}) is running.

  API      ${url}/api
  Swagger  ${url}/api/docs
  Prices   ${url}/api/pricing-plans

Sign in as ${ADMIN_EMAIL} with the password ${ADMIN_PASSWORD}

From sign-in to a running machine:

  TOKEN=$(curl -s ${url}/api/identity/auth/login ${json} -d '${signIn}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')
  ID=$(curl -s ${requests} ${token} ${json} -d '${order}' | sed 's/.*"data":{"id":"\\([^"]*\\)".*/\\1/')
  curl -s -X POST ${requests}/$ID/start ${token} && sleep 1 && curl -s ${requests}/$ID ${token}

Ctrl-C stops it.
`;
}
