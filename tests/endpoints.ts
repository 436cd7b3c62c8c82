import type { Endpoint } from "./endpoint.ts";
import { identityEndpoints } from "./identity/identity.endpoints.ts";
import { productEndpoints } from "./products/products.endpoints.ts";
import { overviewEndpoints } from "./provisioning/overview.endpoints.ts";
import { requestEndpoints } from "./provisioning/requests.endpoints.ts";

const probes: Endpoint[] = ["/api/health", "/api/ready"].map((path) => ({
  method: "GET",
  path,
  may: "anyone",
  status: 200,
}));

/** Every operation of the API. A row brings its own tests: `http/{endpoints,tokens,fields,lists}.test.ts` run over them. */
export const endpoints: readonly Endpoint[] = [
  ...probes,
  ...identityEndpoints,
  ...requestEndpoints,
  ...overviewEndpoints,
  ...productEndpoints,
];
