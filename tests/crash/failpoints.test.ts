import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { emptyPlatform } from "../streams/bus.ts";
import { type Failpoint, failpoints } from "./failpoints.ts";
import { emptyLedger, type Ledger, startLoad } from "./load.ts";
import { brokenPromises, type Published, published, settle } from "./promises.ts";
import { openWiredSite, type WiredSite } from "./site.ts";

setDefaultTimeout(60_000);

/** Kills the program there and starts it again; what had been published when Redis was lost. */
async function dieAt(site: WiredSite, ledger: Ledger, point: Failpoint): Promise<Published[]> {
  const load = startLoad(site, { clients: 2, ledger });
  await load.answers(5);
  const dies = () => site.wires.killAt(point.moment, site.killAll);
  await (point.provoke ? point.provoke(site, ledger, dies) : dies());
  const earlier = point.losesRedis
    ? await published(site, (last) => last.eval(emptyPlatform, 0, `${site.world.platform}.*`))
    : [];
  await site.ageWhatIsHeld();
  await site.start(site.wires.urls);
  await load.answers(5);
  await load.end();
  await settle(site, ledger);
  return earlier;
}

describe("a program killed at any point on the way of", () => {
  for (const [what, points] of failpoints)
    test.concurrent(`${what} goes on when it starts again, and nothing is lost or doubled`, async () => {
      await using site = await openWiredSite();
      const ledger = emptyLedger();
      const earlier: Published[] = [];
      for (const point of points) {
        earlier.push(...(await dieAt(site, ledger, point)));
        const broken = await brokenPromises(site, ledger, earlier);
        expect({ [point.name]: broken }).toEqual({ [point.name]: [] });
      }
    });
});
