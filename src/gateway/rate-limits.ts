import { ServiceError } from "../../schema/errors.ts";
import { type Config, usualThrottles } from "../config.ts";
import { type Place, type Service, type Zone, zones } from "./prefixes.ts";
import { Recent } from "./recent.ts";

const minuteMs = 60_000;

/** Refuses a request that comes too fast, as `rate_limited` with `Retry-After` in seconds. `nowMs` never goes back. */
export interface RateLimits {
  admit(place: Place, address: string, nowMs: number): void;
}

/** The rate zones and the services' own throttles, as far as they are on. They count in this process alone. */
export function createRateLimits({ RATE_LIMITS, SERVICE_THROTTLES }: Config): RateLimits {
  if (!RATE_LIMITS) return { admit() {} };
  const buckets = new Map(Object.keys(zones).map((zone) => [zone as Zone, leakyBucket(zone as Zone)]));
  const throttle = SERVICE_THROTTLES === "off" ? null : createThrottle(SERVICE_THROTTLES ?? usualThrottles);
  return {
    admit({ zone, throttledBy }, address, nowMs) {
      if (zone) buckets.get(zone)?.(address, nowMs);
      if (throttledBy) throttle?.(throttledBy, address, nowMs);
    },
  };
}

/**
 * nginx's `limit_req … burst=N nodelay`: each request adds one to what the address has in the bucket, the rate
 * drains it, and one that would make it more than the burst is refused and adds nothing.
 */
function leakyBucket(zone: Zone): (address: string, nowMs: number) => void {
  const { perSecond, burst } = zones[zone];
  const levels = new Recent<{ excess: number; atMs: number }>(minuteMs);
  return (address, nowMs) => {
    const level = levels.get(address, nowMs);
    const drained = level ? level.excess - ((nowMs - level.atMs) * perSecond) / 1000 : -1;
    const excess = Math.max(drained + 1, 0);
    if (excess > burst) throw tooMany(Math.ceil((excess - burst) / perSecond));
    levels.set(address, { excess, atMs: nowMs });
  };
}

/** At most so many requests of an address to a service in a minute, which begins with the first of them. */
function createThrottle(perMinute: typeof usualThrottles) {
  const windows = new Recent<{ count: number; endsMs: number }>(minuteMs);
  return (service: Service, address: string, nowMs: number) => {
    const key = `${service} ${address}`;
    const known = windows.get(key, nowMs);
    const window = known && known.endsMs > nowMs ? known : { count: 0, endsMs: nowMs + minuteMs };
    if (window.count >= (perMinute[service] ?? perMinute.default))
      throw tooMany(Math.ceil((window.endsMs - nowMs) / 1000));
    windows.set(key, { ...window, count: window.count + 1 });
  };
}

const tooMany = (seconds: number) =>
  new ServiceError(
    "rate_limited",
    "There were too many requests from this address.",
    {},
    { "Retry-After": String(Math.max(seconds, 1)) },
  );
