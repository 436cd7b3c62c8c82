/** Asks again every few milliseconds until `ask` gives a value; rejects when `timeoutMs` have passed. */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs, what }: { timeoutMs: number; what: string },
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}`);
    await Bun.sleep(5);
  }
}
