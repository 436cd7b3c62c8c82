import { tenants } from "../../schema/identity/tenant.ts";
import type { Actor } from "../runtime/actor.ts";

/** A customer company. */
export const tenant: Actor = { name: "tenant", service: "identity", table: tenants, audited: false };
