import { eventually } from "../streams/bus.ts";
import { type Load, startLoad, tellOrder } from "./load.ts";
import { brokenPromises, type Published, published, settle } from "./promises.ts";
import { type OwnSite, openSite, type Site } from "./site.ts";

/* What ends again and again while 32 clients go on, and how soon all is as before. */

/** One kind of outage; times in milliseconds from the moment what ended is started again. */
interface Outages {
  what: string;
  /** Until a command is answered. */
  answersMs: number[];
  /** Until the order that came then has its requests. */
  hearsMs: number[];
}

/** What a long run came to. */
export interface Report {
  outages: Outages[];
  /** Commands answered, answered with 503, and without an answer since the connection broke. */
  answered: number;
  unavailable: number;
  broken: number;
  /** Events committed, numbered and published. */
  events: number;
  /** From the last answer until nothing was left to be done. */
  settledMs: number;
  /** What was lost or doubled, or should not have been answered. */
  faults: string[];
}

interface Stage {
  site: OwnSite;
  load: Load;
  /** What had been published when Redis was emptied. */
  earlier: Published[];
  /** Carries an outage out so often: `end` first, then `begin` again. */
  suffer(
    what: string,
    times: number,
    outage: { end(): Promise<unknown>; begin(): Promise<unknown> },
  ): Promise<void>;
}

async function underLoad(durable: boolean, play: (stage: Stage) => Promise<void>): Promise<Report> {
  await using site = await openSite({ durable });
  const load = startLoad(site, { clients: 32 });
  const outages: Outages[] = [];
  const earlier: Published[] = [];
  await play({
    ...{ site, load, earlier },
    async suffer(what, times, { end, begin }) {
      const own: Outages = { what, answersMs: [], hearsMs: [] };
      outages.push(own);
      for (let i = 0; i < times; i++) {
        await load.answers(200);
        await end();
        await Bun.sleep(Math.random() * 200);
        const sinceMs = performance.now();
        await Promise.all([
          begin(),
          load.answers(1).then(() => own.answersMs.push(performance.now() - sinceMs)),
          hears(site, load).then(() => own.hearsMs.push(performance.now() - sinceMs)),
        ]);
      }
    },
  });
  await load.end();
  const settledMs = await settle(site, load.ledger, 60_000).catch((error: Error) => {
    load.ledger.faults.push(error.message);
    return Number.NaN;
  });
  const faults = await brokenPromises(site, load.ledger, earlier);
  const [{ events }] = await site.rows("SELECT COUNT(*) AS events FROM outbox_events");
  const { answered, unavailable, broken } = load.ledger;
  return { outages, answered, unavailable, broken, events, settledMs, faults };
}

/** Tells an order and waits until it is handled. */
async function hears(site: Site, { ledger }: Load): Promise<void> {
  const eventId = await tellOrder(site, ledger);
  const handled = () => site.rows("SELECT 1 FROM applied_events WHERE eventId = ?", [eventId]);
  await eventually(async () => (await handled().catch(() => [])).length > 0, 30_000);
}

export const programKilled = (): Promise<Report> =>
  underLoad(false, async ({ site, suffer }) => {
    let program = site.first;
    await suffer("kill -9 of the program", 50, {
      end: () => program.kill(),
      async begin() {
        program = await site.start();
      },
    });
  });

export const redisKilled = (): Promise<Report> =>
  underLoad(false, async ({ site, suffer, earlier }) => {
    await suffer("kill -9 of Redis", 20, { end: site.killRedis, begin: site.restartRedis });
    await suffer("FLUSHALL", 3, {
      end: async () => void earlier.push(...(await published(site, (last) => last.flushall()))),
      begin: async () => {},
    });
    await suffer("Redis killed, its data removed", 3, {
      async end() {
        // Nothing is written between the reading and the end.
        earlier.push(...(await published(site, (last) => last.client("PAUSE", 60_000, "ALL"))));
        await site.killRedis();
      },
      begin: () => site.restartRedis({ emptied: true }),
    });
  });

export const mariadbKilled = (): Promise<Report> =>
  underLoad(true, ({ site, suffer }) =>
    suffer("kill -9 of MariaDB", 10, { end: site.killMariadb, begin: site.restartMariadb }),
  );

export const oneOfTwoKilled = (): Promise<Report> =>
  underLoad(false, async ({ site, suffer }) => {
    const programs = [site.first, await site.start()];
    await suffer("kill -9 of one of two programs", 20, {
      end: async () => void (await programs.splice(Math.floor(Math.random() * 2), 1)[0]?.kill()),
      begin: async () => void programs.push(await site.start()),
    });
  });
