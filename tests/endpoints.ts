import type { Endpoint } from "./endpoint.ts";
import { identityEndpoints } from "./identity/identity.endpoints.ts";
import { productEndpoints } from "./products/products.endpoints.ts";
import { approvalRuleEndpoints } from "./provisioning/approval-rules.endpoints.ts";
import { approvalEndpoints } from "./provisioning/approvals.endpoints.ts";
import { clusterEndpoints } from "./provisioning/clusters.endpoints.ts";
import { overviewEndpoints } from "./provisioning/overview.endpoints.ts";
import { quotaEndpoints } from "./provisioning/quotas.endpoints.ts";
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
  ...clusterEndpoints,
  ...approvalRuleEndpoints,
  ...approvalEndpoints,
  ...quotaEndpoints,
  ...productEndpoints,
];
