import { openMailbox } from "../actors/runtime/mailbox.ts";
import { migrate } from "../schema/migrate.ts";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { createGateway } from "./gateway/gateway.ts";
import { listen } from "./gateway/listen.ts";
import { openAccessTokens } from "./identity/access-tokens.ts";
import { authenticator } from "./identity/authenticate.ts";
import { startPresence } from "./jobs/presence.ts";
import type { Landfall } from "./landfall.ts";
import { openCatalogue } from "./products/catalogue.ts";
import { startWork } from "./work.ts";
import { createWorld } from "./world.ts";

/** How long requests under way may take when the program stops; what is still being sent then is cut. */
const drainMs = 5000;

export const roles = ["web", "worker"] as const;
export type ProcessRole = (typeof roles)[number];

/** A running program. */
export interface Program {
  readonly landfall: Landfall;
  /** Where it listens; null without the role `web`. */
  readonly url: string | null;
  /** Lets the work under way end, at most 10 s, and closes everything. */
  stop(): Promise<void>;
}

interface StartOptions {
  roles?: ProcessRole[];
  now?: () => Date;
  /** Shares its port with no other process, and takes the next one where the default is taken. */
  alone?: boolean;
}

/** Migrates, then listens, relays, consumes and does jobs, as far as its roles go. */
export async function startLandfall(
  config: Config,
  { roles: own = [...roles], now, alone = false }: StartOptions = {},
): Promise<Program> {
  const world = createWorld(config, now ? { now } : {});
  await migrate(world.mysql);
  const mailbox = openMailbox(world);
  const tokens = await openAccessTokens(world, { issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE });
  const landfall: Landfall = {
    config,
    world,
    mailbox,
    underWay: new Map(),
    authenticate: authenticator({ world, mailbox }, tokens),
  };
  const catalogue = own.includes("web") ? openCatalogue(world) : null;
  const server = catalogue
    ? listen(createGateway(landfall, createApp(landfall, tokens, catalogue)), { port: config.PORT, alone })
    : null;
  const work = own.includes("worker") ? startWork(landfall) : null;
  const presence = startPresence(world, own, () => work?.inFlight ?? 0);
  return {
    landfall,
    url: server ? `http://localhost:${server.port}` : null,
    async stop() {
      await Promise.race([server?.stop(), Bun.sleep(drainMs)]);
      await server?.stop(true);
      await work?.stop();
      await presence.stop();
      await catalogue?.stop();
      await tokens.stop();
      await mailbox.close();
      await world.close();
    },
  };
}
