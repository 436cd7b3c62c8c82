import type { Redis } from "ioredis";
import type { Waker } from "../schema/world.ts";

/**
 * Tells loops, here and in the other processes, that there is something to do. A hint only: whoever is woken
 * polls each second as well, so a lost message costs at most that second.
 */
export function wakerOf(options: {
  redis: Redis;
  connect(): Redis;
  channel: string;
}): Waker & { close(): void } {
  const listeners = new Map<string, Set<() => void>>();
  const due = new Set<string>();
  const subscription = options.connect();
  subscription.subscribe(options.channel).catch(() => {});
  const wakeHere = (name: string) => {
    for (const listener of listeners.get(name) ?? []) listener();
  };
  subscription.on("message", (_, message: string) => {
    const [sender, name = ""] = message.split(" ");
    if (sender !== self) wakeHere(name);
  });
  const self = Bun.randomUUIDv7();
  const publish = () => {
    for (const name of due) {
      wakeHere(name);
      options.redis.publish(options.channel, `${self} ${name}`).catch(() => {});
    }
    due.clear();
  };
  return {
    wake(name) {
      if (due.size === 0) setImmediate(publish);
      due.add(name);
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    close: () => subscription.disconnect(),
  };
}
