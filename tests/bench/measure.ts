/** What a measured run came to. Times in milliseconds. */
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Keeps `inFlight` operations going until `total` are done; `operation` gets its number and its lane. */
export async function measure(
  total: number,
  inFlight: number,
  operation: (n: number, lane: number) => Promise<unknown>,
): Promise<Measured> {
  const times = new Float64Array(total);
  let next = 0;
  const lane = async (_: unknown, own: number) => {
    for (let n = next++; n < total; n = next++) {
      const begun = performance.now();
      await operation(n, own);
      times[n] = performance.now() - begun;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: total / seconds, ...percentiles(times) };
}

/** Median and 99th percentile. Sorts in place. */
export function percentiles(times: Float64Array): { p50: number; p99: number } {
  times.sort();
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** One line of a report. */
export function show(what: string, { perSecond, p50, p99 }: Measured): void {
  const rate = Math.round(perSecond).toLocaleString("en");
  console.log(
    `  ${what.padEnd(46)} ${rate.padStart(8)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
  );
}
