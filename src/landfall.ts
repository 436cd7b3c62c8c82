import type { Mailbox } from "../actors/runtime/mailbox.ts";
import type { Caller } from "../schema/permissions.ts";
import type { World } from "../schema/world.ts";
import type { Config } from "./config.ts";

/** What every room of the house is given. */
export interface Landfall {
  readonly config: Config;
  readonly world: World;
  readonly mailbox: Mailbox;
  /** What this process is at work on under an `Idempotency-Key`: the key's id, and what was sent. */
  readonly underWay: Map<string, string>;
  /** Who makes a request; throws `unauthenticated` or `token_expired`. */
  authenticate(request: Request): Caller | Promise<Caller>;
}
