import type { World } from "../schema/world.ts";
import { cursorKey } from "./cursor.ts";
import type { StampedEvent } from "./outbox.ts";

// A stream that a group reads must exist: made anew here, it would hide that its events are lost.
// A stream refuses an id that is not above its last one. When that last one was given by the relay, the cursor was
// set back and the event is there already; else somebody added entries by hand.
const script = `
local function lastSeq(stream)
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return string.match(info[i + 1], '^%d+') end
  end
end
local cursor = redis.call('GET', KEYS[1])
if cursor ~= ARGV[1] then return cursor end
for i = 2, #KEYS do
  local seq, envelope, read = unpack(ARGV, 3 * i - 3, 3 * i - 1)
  local added
  if read == '1' then
    added = redis.pcall('XADD', KEYS[i], 'NOMKSTREAM', seq .. '-0', 'envelope', envelope)
  else
    added = redis.pcall('XADD', KEYS[i], seq .. '-0', 'envelope', envelope)
  end
  if not added then
    redis.call('DEL', KEYS[1])
    return false
  end
  if type(added) == 'table' and added.err then
    if not string.find(added.err, 'equal or smaller', 1, true) then return added end
    local last = lastSeq(KEYS[i])
    if tonumber(last) > tonumber(ARGV[2]) then return 'foreign ' .. last end
  end
  cursor = seq
end
redis.call('SET', KEYS[1], cursor)
return cursor`;

/** A stream goes up to a seq that the relay never gave, and so refuses the events. */
export class ForeignEntry extends Error {
  constructor(readonly seq: number) {
    super(`A stream has an entry ${seq} that the relay did not add`);
  }
}

/**
 * Adds the events to their streams and moves the cursor on, if it is where the caller expects it; otherwise does
 * nothing. Gives the cursor as it is then; undefined when it is missing, or one of the streams `readByGroups` is.
 * Throws `ForeignEntry` when a stream goes beyond `lastStamped`; some of the events may be added then.
 */
export async function publish(
  world: World,
  expected: number,
  events: readonly StampedEvent[],
  context: { lastStamped: number; readByGroups: ReadonlySet<string> },
): Promise<number | undefined> {
  const keys = [cursorKey(world.platform), ...events.map((event) => event.topic)];
  const values = events.flatMap(({ seq, topic, envelope }) => [
    String(seq),
    envelope,
    context.readByGroups.has(topic) ? "1" : "0",
  ]);
  const reply = await world.redis.eval(
    script,
    keys.length,
    ...[...keys, String(expected), String(context.lastStamped), ...values],
  );
  if (reply === null) return undefined;
  const [word, seq] = String(reply).split(" ");
  if (word === "foreign") throw new ForeignEntry(Number(seq));
  return Number(reply);
}
