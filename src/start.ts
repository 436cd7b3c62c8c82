import { deadLetter } from "../actors/platform/dead-letter.ts";
import { originOf } from "../actors/runtime/actor.ts";
import { openMailbox } from "../actors/runtime/mailbox.ts";
import { ServiceError } from "../schema/errors.ts";
import { migrate } from "../schema/migrate.ts";
import { type Letter, startGroup } from "../streams/group.ts";
import { startRelay } from "../streams/relay.ts";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { loadAccessTokens } from "./identity/access-tokens.ts";
import { startJobs } from "./jobs/runner.ts";
import type { Landfall } from "./landfall.ts";
import { provisioningConsumer } from "./provisioning/consumers.ts";
import { provisioningJobs } from "./provisioning/jobs.ts";
import { createWorld } from "./world.ts";

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
  const tokens = await loadAccessTokens(world, { issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE });
  const landfall: Landfall = {
    config,
    world,
    mailbox,
    authenticate(request) {
      const token = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
      if (!token) throw new ServiceError("unauthenticated", "Send an access token as a Bearer token.");
      return tokens.verify(token);
    },
  };
  const server = own.includes("web") ? listen(createApp(landfall, tokens), config.PORT, alone) : null;
  const worker = own.includes("worker") ? startWork(landfall) : [];
  return {
    landfall,
    url: server ? `http://localhost:${server.port}` : null,
    async stop() {
      await server?.stop();
      await Promise.all(worker.map((part) => part.stop()));
      await mailbox.close();
      await world.close();
    },
  };
}

const defaultPort = 8080;
const idleTimeoutSeconds = 60;

function listen(app: ReturnType<typeof createApp>, asked: number | undefined, alone: boolean) {
  const first = asked ?? defaultPort;
  const last = alone && asked === undefined ? first + 99 : first;
  for (let port = first; ; port++) {
    try {
      return app.listen({ port, idleTimeout: idleTimeoutSeconds, reusePort: !alone }).server;
    } catch (error) {
      if (port === last || (error as { code?: string }).code !== "EADDRINUSE") throw error;
    }
  }
}

/** What happens beside the doors: the relay, the consumers, the jobs. */
function startWork(landfall: Landfall): { stop(): Promise<void> }[] {
  const { world, mailbox } = landfall;
  const groups = [provisioningConsumer(landfall)];
  const bury = async (input: Letter) => {
    const { eventId, group } = input;
    const origin = originOf("platform", { requestId: eventId, correlationId: eventId, causationId: eventId });
    await mailbox.apply({ group: `${group}.dlq`, eventId }, [{ command: deadLetter.bury, input, origin }]);
  };
  return [
    startRelay(world, groups),
    ...groups.map((group) => startGroup(world, group, bury)),
    startJobs(world, provisioningJobs(landfall)),
  ];
}
