import { DriverError } from "./driver-error.ts";

const longestTimerMs = 2 ** 31 - 1;

/**
 * Ends a driver's call after `limitMs`, with `STEP_TIMEOUT`, or when `signal` does, with its reason, whether the
 * driver minds the signal that it is given or not.
 */
export async function withDeadline<T>(
  limitMs: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timeout = new DriverError("STEP_TIMEOUT", "The infrastructure did not answer in time.");
  const timer = setTimeout(() => late.abort(timeout), Math.min(limitMs, longestTimerMs));
  const ended = AbortSignal.any([signal, late.signal]);
  const cut = Promise.withResolvers<never>();
  const end = () => cut.reject(ended.reason);
  ended.addEventListener("abort", end);
  if (ended.aborted) end();
  try {
    return await Promise.race([call(ended), cut.promise]);
  } catch (error) {
    // A driver may tell of the end in words of its own.
    throw ended.aborted ? ended.reason : error;
  } finally {
    clearTimeout(timer);
    ended.removeEventListener("abort", end);
  }
}
