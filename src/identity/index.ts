import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { apiKeyRoutes } from "./api-keys.routes.ts";
import { authRoutes } from "./auth.routes.ts";
import { userRoutes } from "./users.routes.ts";

/** The identity service. */
export const identity = (landfall: Landfall, tokens: AccessTokens) =>
  new Elysia().use(authRoutes(landfall, tokens)).use(userRoutes(landfall)).use(apiKeyRoutes(landfall));
