import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./landfall.ts";

/* A program of a customer's, written against the types that are generated from the OpenAPI document. */

type Api = Client<paths>;
type ProvisioningRequest = components["schemas"]["ProvisioningRequest"];
type Problem = components["schemas"]["Problem"];

const signedIn = (baseUrl: string, accessToken: string): Api =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${accessToken}` } });

/** The data of an answer, or the refusal as an error. */
function dataOf<T>({ data, error }: { data?: { data: T }; error?: Problem }): T {
  if (error) throw new Error(`${error.code}: ${error.detail}`);
  if (!data) throw new Error("The answer is empty.");
  return data.data;
}

/** Registers, orders a machine, has an ADMIN start it, and waits until it runs. */
export async function runMachine(
  baseUrl: string,
  admin: components["schemas"]["Login"],
  customer: components["schemas"]["Register"],
): Promise<ProvisioningRequest> {
  const anyone = createClient<paths>({ baseUrl });
  const { accessToken, user } = dataOf(await anyone.POST("/api/identity/auth/register", { body: customer }));
  const mine = signedIn(baseUrl, accessToken);
  const ordered = dataOf(
    await mine.POST("/api/provisioning/requests", {
      params: { header: { "Idempotency-Key": "machine-1" } },
      body: {
        tenantId: user.tenantId,
        orderId: "order-1",
        orderItemId: "item-1",
        resourceType: "VM",
        specification: { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" },
      },
    }),
  );
  const staff = dataOf(await anyone.POST("/api/identity/auth/login", { body: admin }));
  const path = { id: ordered.id };
  const started = dataOf(
    await signedIn(baseUrl, staff.accessToken).POST("/api/provisioning/requests/{id}/start", {
      params: { path, header: { "If-Match": `"${ordered.version}"` } },
    }),
  );
  return untilActive(mine, started);
}

async function untilActive(api: Api, request: ProvisioningRequest): Promise<ProvisioningRequest> {
  if (request.status === "ACTIVE") return request;
  if (request.error) throw new Error(`${request.error.code}: ${request.error.message}`);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const path = { id: request.id };
  return untilActive(api, dataOf(await api.GET("/api/provisioning/requests/{id}", { params: { path } })));
}

/** What the types refuse; never called. */
export async function wrong(api: Api): Promise<unknown[]> {
  const params = { path: { id: "" } };
  return [
    // @ts-expect-error There is no such path.
    await api.GET("/api/provisioning/machines"),
    // @ts-expect-error The id is missing.
    await api.GET("/api/provisioning/requests/{id}"),
    // @ts-expect-error The message is missing.
    await api.POST("/api/provisioning/requests/{id}/fail", { params, body: { code: "" } }),
    // @ts-expect-error There is no such status.
    await api.GET("/api/provisioning/requests", { params: { query: { status: "GONE" } } }),
  ];
}
