import { resolve } from "node:path";
import { Connection } from "./http-client.ts";
import { measure } from "./measure.ts";
import type { Bench } from "./program.ts";

/* What the gateway costs a request: processor time of a service behind it, beside the same service alone. */

const root = resolve(import.meta.dir, "../..");
const path = "/api/identity/.well-known/jwks.json";
const rounds = 7;
const perRound = 30_000;
const inFlight = 32;

export async function gateway({ environment }: Bench): Promise<void> {
  const child = Bun.spawn([process.execPath, "tests/bench/gateway-service.ts"], {
    cwd: root,
    // Every limit is on; each request comes from another address, so that none is refused.
    env: { ...process.env, ...environment, RATE_LIMITS: "on", TRUSTED_PROXY_HOPS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const urls = JSON.parse(await firstLine(child.stdout)) as Record<string, string>;
    const costs: Record<string, number[]> = { gateway: [], service: [], port: [] };
    for (let round = -1; round < rounds; round++) {
      for (const [name, url] of Object.entries(urls)) {
        const costUs = await processorTimeUs(child.pid, () => load(url));
        if (round >= 0) costs[name]?.push(costUs / perRound);
      }
    }
    const [behind, alone, port] = Object.values(costs).map(median) as [number, number, number];
    console.log("gateway: processor time of a request, all threads of the program");
    console.log(`  a bare port                 ${port.toFixed(1)} us`);
    console.log(`  the service alone           ${alone.toFixed(1)} us`);
    console.log(`  the service and its gateway ${behind.toFixed(1)} us`);
    console.log(`  the gateway's own cost      ${(behind - alone).toFixed(1)} us (under 15)`);
  } finally {
    child.kill();
    await child.exited;
  }
}

async function load(url: string): Promise<void> {
  const lanes = await Promise.all(Array.from({ length: inFlight }, () => Connection.open(url, "")));
  const begun = Math.floor(performance.now() * 1000);
  await measure(perRound, inFlight, async (n, lane) => {
    const address = begun + n;
    const forwarded = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
    const { status } = await (lanes[lane] as Connection).get(path, { "X-Forwarded-For": forwarded });
    if (status !== 200) throw new Error(`The bench was answered ${status}.`);
  });
  for (const connection of lanes) connection.close();
}

/** Microseconds that all threads of a process were on a processor meanwhile. */
async function processorTimeUs(pid: number, work: () => Promise<void>): Promise<number> {
  const before = await onProcessorUs(pid);
  await work();
  return (await onProcessorUs(pid)) - before;
}

async function onProcessorUs(pid: number): Promise<number> {
  const threads = [...new Bun.Glob("*/schedstat").scanSync({ cwd: `/proc/${pid}/task`, onlyFiles: false })];
  const times = await Promise.all(
    threads.map(async (file) => Number((await Bun.file(`/proc/${pid}/task/${file}`).text()).split(" ")[0])),
  );
  return times.reduce((sum, ns) => sum + ns, 0) / 1000;
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error("The program ended before it listened.");
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
