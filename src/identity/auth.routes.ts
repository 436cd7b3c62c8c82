import { Elysia } from "elysia";
import { Login, Register, ServiceToken, SignedIn } from "../../schema/identity/user.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { login, register, serviceToken } from "./sign-in.ts";

const common = { tag: "Sign-in", may: "anyone" } as const;

export const authRoutes = (landfall: Landfall, tokens: AccessTokens) =>
  new Elysia({ prefix: "/identity" })
    .use(idiom(landfall))
    .post(
      "/auth/register",
      ({ call, body }) => register(landfall, tokens, call, body),
      endpoint({
        id: "register",
        ...common,
        summary: "Register",
        description: "Makes a new tenant with this user, and signs in.",
        body: Register,
        answer: SignedIn,
        statuses: [201],
        errors: ["already_exists"],
      }),
    )
    .post(
      "/auth/login",
      ({ call, body }) => login(landfall, tokens, call, body),
      endpoint({
        id: "login",
        ...common,
        summary: "Sign in",
        body: Login,
        answer: SignedIn,
        errors: ["invalid_credentials"],
      }),
    )
    .post(
      "/auth/service-token",
      ({ call }) => serviceToken(landfall, tokens, call),
      endpoint({
        id: "exchangeApiKey",
        ...common,
        summary: "Exchange an API key for a service token",
        description: "Send the key of kind `service` in `X-API-Key`.",
        answer: ServiceToken,
        errors: ["unauthenticated", "forbidden"],
      }),
    )
    .get("/.well-known/jwks.json", () => Response.json(tokens.jwks()), {
      detail: { summary: "Public keys of the access tokens (RFC 7517)", tags: ["Sign-in"], security: [] },
    });
