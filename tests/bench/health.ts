import { measure, show } from "./measure.ts";
import type { Bench } from "./program.ts";

const clusters = 50;
const hanging = 10;
const askers = 200;

/** One answer about the health of 50 clusters of which 10 hang: the first, with many who ask at once, and those after it. */
export async function health(bench: Bench): Promise<void> {
  const [quick, silent] = [openSite(() => new Response("")), openSite(() => new Promise<never>(() => {}))];
  const program = await bench.startProgram();
  const headers = { Authorization: `Bearer ${program.token}`, "Content-Type": "application/json" };
  const ask = async () => {
    const answer = await fetch(`${program.url}/api/provisioning/providers/health`, { headers });
    const { data } = (await answer.json()) as { data: { ok: boolean }[] };
    if (data.filter(({ ok }) => ok).length !== clusters - hanging) throw new Error("The answer is wrong.");
  };
  try {
    for (let i = 0; i < clusters; i++) {
      const { url } = i < hanging ? silent : quick;
      const body = JSON.stringify({ name: `Rack ${i}`, type: "PROXMOX", region: "attic", apiUrl: url });
      await fetch(`${program.url}/api/clusters`, { method: "POST", headers, body });
    }
    console.log(`health: ${clusters} clusters of which ${hanging} hang`);
    const begun = performance.now();
    const answered = await Promise.all(
      Array.from({ length: askers }, () => ask().then(() => performance.now() - begun)),
    );
    const [first, last] = [Math.min(...answered), Math.max(...answered)].map((ms) => (ms / 1000).toFixed(2));
    console.log(`  ${askers} ask at once: answered after ${first} to ${last} s (at most 5 s)`);
    console.log(`  probes: ${quick.asked() + silent.asked()} (${clusters})`);
    show("asked again, 4 in flight", await measure(2000, 4, ask));
  } finally {
    await program.stop();
    for (const site of [quick, silent]) site.close();
  }
}

function openSite(answer: () => Response | Promise<Response>) {
  let asked = 0;
  const fetch = () => {
    asked++;
    return answer();
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch });
  return { url: server.url.href, asked: () => asked, close: () => server.stop(true) };
}
