import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { accountRoutes } from "./account.routes.ts";
import { authRoutes } from "./auth.routes.ts";

/** The identity service. */
export const identity = (landfall: Landfall, tokens: AccessTokens) =>
  new Elysia().use(authRoutes(landfall, tokens)).use(accountRoutes(landfall));
