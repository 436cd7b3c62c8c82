import { randomBytes } from "node:crypto";
import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";
import { adminEmail, password } from "../house.ts";

const owned = ["id", "createdAt", "updatedAt", "version"];
const unsettable = ["passwordHash", "emailVerified", "mfaEnabled", "lockedUntil", "lastLoginAt"];

const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;

const refreshToken = async ({ house }: Scene) => {
  const body = { email: newEmail(), password, name: "Ada" };
  const { data } = await house.call("POST", "/api/identity/auth/register", body);
  return { refreshToken: data.refreshToken };
};
const wrongRefreshTokens = [
  ["/refreshToken", undefined],
  ["/refreshToken", ""],
  ["/refreshToken", 5],
  ["/refreshToken", [neverEchoed]],
  ["/refreshToken", neverEchoed.repeat(100)],
] as const;

const newKey = async ({ customer }: Scene) => {
  const { data } = await customer.call("POST", "/api/identity/api-keys", { name: "row", kind: "tenant" });
  return data.id as string;
};

const newUser = ({ customer }: Scene) => ({
  ...{ email: newEmail(), password, name: "Grace" },
  tenantId: customer.tenantId,
});
const newUserId = async (scene: Scene) =>
  (await scene.customer.call("POST", "/api/identity/users", newUser(scene))).data.id as string;

export const identityEndpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/api/identity/auth/register",
    may: "anyone",
    status: 201,
    body: () => ({ email: newEmail(), password, name: "Ada" }),
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
    path: "/api/identity/auth/refresh",
    may: "anyone",
    status: 200,
    body: refreshToken,
    wrong: wrongRefreshTokens,
    owned: ["roles", "userId", "tenantId", "expiresIn"],
  },
  {
    method: "POST",
    path: "/api/identity/auth/logout",
    may: "anyone",
    status: 200,
    body: refreshToken,
    wrong: wrongRefreshTokens,
    owned: ["sessionId", "userId"],
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
      ["/scopes", neverEchoed],
      ["/scopes", null],
      ["/scopes", Array(100).fill("dns:read")],
      ["/expiresAt", neverEchoed],
      ["/expiresAt", null],
      ["/expiresAt", 4102444800000],
      ["/expiresAt", "2099-02-31"],
      ["/expiresAt", "2099-13-01T00:00:00.000Z"],
      ["/expiresAt", "2099-02-30T00:00:00.000Z"],
      ["/expiresAt", "2020-01-01T00:00:00.000Z"],
    ],
    owned: [...owned, "tenantId", "createdBy", "lastUsedAt", "key", "keyHash"],
  },
  {
    method: "DELETE",
    path: "/api/identity/api-keys/{id}",
    may: "own.tenant",
    status: 200,
    target: newKey,
    foreign: "hidden",
  },
  {
    method: "GET",
    path: "/api/identity/users",
    may: "users.manage",
    status: 200,
    list: true,
    foreign: "own",
    tenantIn: "query",
  },
  {
    method: "POST",
    path: "/api/identity/users",
    may: "users.manage",
    status: 201,
    tenantIn: "body",
    body: newUser,
    wrong: [
      ["/email", undefined],
      ["/email", neverEchoed],
      ["/email", `${"a".repeat(250)}@example.com`],
      ["/name", undefined],
      ["/name", ""],
      ["/name", [neverEchoed]],
      ["/password", undefined],
      ["/password", "elevenchars"],
      ["/password", neverEchoed.repeat(10)],
      ["/tenantId", ""],
      ["/tenantId", null],
      ["/tenantId", neverEchoed.repeat(10)],
      ["/roles", neverEchoed],
      ["/roles", null],
      ["/roles", Array(100).fill("OPS")],
    ],
    owned: [...owned, ...unsettable, "disabled"],
  },
  {
    method: "GET",
    path: "/api/identity/users/{id}",
    may: "users.manage",
    status: 200,
    target: newUserId,
    foreign: "hidden",
  },
  {
    method: "PATCH",
    path: "/api/identity/users/{id}",
    may: "users.manage",
    status: 200,
    target: newUserId,
    foreign: "hidden",
    body: () => ({ name: "Grace Hopper" }),
    wrong: [
      ["/name", ""],
      ["/name", null],
      ["/name", neverEchoed.repeat(20)],
      ["/roles", neverEchoed],
      ["/roles", null],
      ["/disabled", neverEchoed],
      ["/disabled", 1],
      ["/disabled", null],
    ],
    owned: [...owned, ...unsettable, "tenantId", "email", "password"],
  },
];
