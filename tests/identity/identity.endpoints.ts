import { randomBytes } from "node:crypto";
import { type Endpoint, neverEchoed } from "../endpoint.ts";
import { adminEmail, password } from "../house.ts";

const owned = ["id", "createdAt", "updatedAt", "version"];

export const identityEndpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/api/identity/auth/register",
    may: "anyone",
    status: 201,
    body: () => ({ email: `${randomBytes(6).toString("hex")}@example.com`, password, name: "Ada" }),
    wrong: [
      ["/email", undefined],
      ["/email", neverEchoed],
      ["/email", 5],
      ["/email", `${"a".repeat(250)}@example.com`],
      ["/password", undefined],
      ["/password", "elevenchars"],
      ["/password", neverEchoed.repeat(10)],
      ["/name", undefined],
      ["/name", ""],
      ["/name", [neverEchoed]],
      ["/tenantName", ""],
      ["/tenantName", null],
    ],
    owned: [...owned, "tenantId", "roles", "passwordHash", "emailVerified", "disabled", "lockedUntil"],
  },
  {
    method: "POST",
    path: "/api/identity/auth/login",
    may: "anyone",
    status: 200,
    body: () => ({ email: adminEmail, password }),
    wrong: [
      ["/email", undefined],
      ["/email", { not: neverEchoed }],
      ["/password", undefined],
      ["/password", 5],
      ["/password", neverEchoed.repeat(100)],
      ["/otp", 123456],
    ],
    owned: ["roles", "tenantId"],
  },
  {
    method: "POST",
    path: "/api/identity/auth/service-token",
    may: "anyone",
    status: 200,
    headers: async ({ admin }) => {
      const { data } = await admin.call("POST", "/api/identity/api-keys", { name: "row", kind: "service" });
      return { "X-API-Key": data.key };
    },
  },
  {
    method: "GET",
    path: "/api/identity/.well-known/jwks.json",
    may: "anyone",
    status: 200,
    bare: true,
  },
  {
    method: "GET",
    path: "/api/identity/me",
    may: "self",
    status: 200,
    foreign: "own",
    // A service is no user.
    answers: { service: 404 },
  },
  {
    method: "GET",
    path: "/api/identity/api-keys",
    may: "own.tenant",
    status: 200,
    list: true,
    foreign: "own",
  },
  {
    method: "POST",
    path: "/api/identity/api-keys",
    may: "own.tenant",
    status: 201,
    foreign: "own",
    body: () => ({ name: "build server", kind: "tenant" }),
    wrong: [
      ["/name", undefined],
      ["/name", ""],
      ["/name", { not: neverEchoed }],
      ["/kind", undefined],
      ["/kind", neverEchoed],
    ],
    owned: [...owned, "tenantId", "createdBy", "lastUsedAt", "key", "keyHash"],
  },
];
