import { Elysia } from "elysia";
import { RefreshToken, Revoked } from "../../schema/identity/session.ts";
import { PublicKeys } from "../../schema/identity/signing-key.ts";
import { Login, Register, ServiceToken, SignedIn } from "../../schema/identity/user.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { login, logout, refresh, register, serviceToken } from "./sign-in.ts";
import { keysMaxAgeSeconds } from "./signing-keys.ts";

const common = { tag: "Sign-in", may: "anyone" } as const;

const keptFor = { "Cache-Control": `public, max-age=${keysMaxAgeSeconds}` };

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
      "/auth/refresh",
      ({ call, body }) => refresh(landfall, tokens, call, body),
      endpoint({
        id: "refresh",
        ...common,
        summary: "Exchange a refresh token for a new pair of tokens",
        description:
          "A refresh token is good once, for 7 days. One that comes a second time ends its session: every refresh token that followed from that sign-in is refused with `unauthenticated`, as are unknown and expired ones and those of disabled users.",
        body: RefreshToken,
        answer: SignedIn,
        errors: ["unauthenticated"],
      }),
    )
    .post(
      "/auth/logout",
      ({ call, body }) => logout(landfall, call, body),
      endpoint({
        id: "logout",
        ...common,
        summary: "Sign out",
        description:
          "Ends the session of a refresh token, whichever of its tokens it is; one that means nothing is taken too (RFC 7009). Access tokens last to their end, 15 minutes at most.",
        body: RefreshToken,
        answer: Revoked,
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
        apiKey: true,
        answer: ServiceToken,
      }),
    )
    .get(
      "/.well-known/jwks.json",
      () => Response.json(tokens.jwks(), { headers: keptFor }),
      endpoint({
        id: "getPublicKeys",
        ...common,
        summary: "Public keys of the access tokens",
        description: "A JWK set (RFC 7517); a token names its key as `kid`.",
        answer: PublicKeys,
        bare: true,
      }),
    );
