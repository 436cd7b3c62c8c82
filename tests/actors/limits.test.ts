import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nothing } from "../../actors/provisioning/amounts.ts";
import { crossings, excesses, highestPercent, percentOf } from "../../actors/provisioning/limits.ts";
import { dimensions } from "../../schema/provisioning/amounts.ts";
import { type LimitName, limitNames, type QuotaLimits } from "../../schema/provisioning/quota.ts";

const names = Object.keys(limitNames) as LimitName[];
const warnPercent = 80;
const cores = (vcpu: number) => ({ ...nothing, vcpu });

describe("the limits that a request would pass", () => {
  const row = (limit: number | undefined, used: number, requested: number, passed: boolean) =>
    ({ limit, used, requested, passed }) as const;
  for (const { limit, used, requested, passed } of [
    row(10, 8, 2, false),
    row(10, 8, 3, true),
    row(10, 10, 1, true),
    row(10, 11, 1, true),
    row(10, 11, 0, false),
    row(0, 0, 1, true),
    row(0, 0, 0, false),
    row(-1, 1e9, 1e9, false),
    row(undefined, 1e9, 1e9, false),
  ])
    test(`${passed ? "" : "not "}with ${used} of ${limit} used, ${requested} asked for`, () => {
      const limits = { warnPercent, ...(limit === undefined ? {} : { maxVcpu: limit }) };
      const found = excesses(limits, cores(used), cores(requested));
      expect(found).toEqual(
        passed ? [{ dimension: "maxVcpu", limit: limit as number, used, requested }] : [],
      );
    });

  test("are all named, each by its own name, in the order of the limits", () => {
    const limits = { warnPercent, ...Object.fromEntries(names.map((name) => [name, 0])) } as QuotaLimits;
    const requested = { ...nothing };
    dimensions.forEach((name, i) => {
      requested[name] = i + 1;
    });
    expect(excesses(limits, nothing, requested)).toEqual(
      names.map((dimension) => ({
        dimension,
        limit: 0,
        used: 0,
        requested: requested[limitNames[dimension]],
      })),
    );
  });

  test("are none without a quota", () => {
    const much = Object.fromEntries(dimensions.map((name) => [name, 1e12])) as typeof nothing;
    expect(excesses(null, much, much)).toEqual([]);
    expect(highestPercent(null, much)).toBeNull();
    expect(highestPercent({ warnPercent, maxVcpu: -1 }, much)).toBeNull();
  });
});

describe("the use of a limit in per cent", () => {
  test.each([
    [10, 0, 0],
    [10, 8, 80],
    [3, 1, 33.33],
    [3, 2, 66.67],
    [3, 3, 100],
    [10, 25, 250],
    [0, 0, 0],
    [0, 7, 100],
    [1_000_000_000, 1, 0],
  ])("of %p with %p used is %p", (limit, used, percent) => {
    expect(percentOf(limit, used)).toBe(percent);
  });

  test("is that of the fullest where there are several", () => {
    const used = { ...nothing, instances: 1, vcpu: 9, storageGb: 99 };
    expect(highestPercent({ warnPercent, maxInstances: 4, maxVcpu: 10, maxMemoryMb: -1 }, used)).toBe(90);
  });
});

describe("the levels that are crossed", () => {
  /** The limit and what is used of it, before and after. */
  const row = (
    before: [limit: number | null, used: number],
    after: [limit: number, used: number],
    crossed: boolean,
  ) => ({ before, after, crossed });
  for (const { before, after, crossed } of [
    row([10, 7], [10, 8], true),
    row([10, 0], [10, 10], true),
    row([10, 8], [10, 9], false),
    row([10, 9], [10, 8], false),
    row([10, 8], [10, 7], false),
    row([100, 8], [10, 8], true),
    row([10, 8], [9, 8], false),
    row([10, 8], [100, 8], false),
    row([null, 8], [10, 8], true),
    row([null, 7], [10, 7], false),
    row([-1, 8], [10, 8], true),
    row([10, 8], [-1, 8], false),
    row([10, 8], [5, 8], false),
    row([null, 8], [5, 8], true),
    row([null, 0], [0, 0], false),
    row([null, 1], [0, 1], true),
    row([0, 1], [0, 2], false),
  ])
    test(`${crossed ? "" : "not "}from ${before[1]} of ${before[0]} to ${after[1]} of ${after[0]}`, () => {
      const [limit, used] = before;
      const was = limit === null ? null : { warnPercent, maxVcpu: limit };
      const found = crossings(
        { limits: was, used: cores(used) },
        { limits: { warnPercent, maxVcpu: after[0] }, used: cores(after[1]) },
      );
      const expected = { dimension: "maxVcpu", limit: after[0], used: after[1] } as const;
      expect(found).toEqual(crossed ? [{ ...expected, percent: percentOf(...after) }] : []);
    });

  test("are each told by itself", () => {
    const limits = { maxInstances: 4, maxVcpu: 10, maxNetworks: 1, warnPercent };
    const used = { ...nothing, instances: 4, vcpu: 8 };
    const found = crossings({ limits, used: { ...nothing, instances: 4 } }, { limits, used });
    expect(found.map(({ dimension }) => dimension)).toEqual(["maxVcpu"]);
    const both = crossings({ limits, used: nothing }, { limits, used });
    expect(both.map(({ dimension }) => dimension)).toEqual(["maxInstances", "maxVcpu"]);
  });

  test("a lower warnPercent crosses as well, a higher one does not", () => {
    const used = cores(6);
    const at = (percent: number) => ({ limits: { maxVcpu: 10, warnPercent: percent }, used });
    expect(crossings(at(80), at(60))).toHaveLength(1);
    expect(crossings(at(60), at(80))).toEqual([]);
  });

  test("are never reached below the level, not by a hair", () => {
    const limits = { maxVcpu: 1_000_000_000, warnPercent };
    const crossed = (used: number) => crossings({ limits, used: nothing }, { limits, used: cores(used) });
    expect(crossed(799_999_999)).toEqual([]);
    expect(crossed(800_000_000)).toHaveLength(1);
  });

  test("come once on each way up, however the use moves", () => {
    const limits = { maxVcpu: 10, warnPercent };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 })), (uses) => {
        let [before, ways, told] = [0, 0, 0];
        for (const now of uses) {
          ways += Number(before < 8 && now >= 8);
          told += crossings({ limits, used: cores(before) }, { limits, used: cores(now) }).length;
          before = now;
        }
        expect(told).toBe(ways);
      }),
    );
  });
});
