import type { Connection, Pool, RowDataPacket } from "mysql2/promise";
import type { World } from "../schema/world.ts";
import { cursorKey } from "./cursor.ts";
import type { GroupDeclaration } from "./group.ts";
import { streamOf } from "./topics.ts";

/** The seq up to which every one of the groups has handled all; 0 when one of them has no mark yet. */
export async function lowestMark(
  mysql: Connection | Pool,
  groups: readonly GroupDeclaration[],
): Promise<number> {
  if (groups.length === 0) return 0;
  const [rows] = await mysql.query<RowDataPacket[]>("SELECT seq FROM bus_marks WHERE name IN (?)", [
    groups.map(markName),
  ]);
  return rows.length < groups.length ? 0 : Math.min(...rows.map((row) => Number(row["seq"])));
}

/**
 * Saves for each group the seq up to which it has handled all. A mark stays true whatever Redis loses, because
 * what was handled is committed in MySQL; so it only rises.
 */
export async function saveMarks(
  world: World,
  mysql: Connection | Pool,
  groups: readonly GroupDeclaration[],
): Promise<void> {
  const marks: [string, number][] = [];
  for (const group of groups) {
    const mark = await currentMark(world, group);
    if (mark !== undefined) marks.push([markName(group), mark]);
  }
  if (marks.length === 0) return;
  await mysql.query(
    "INSERT INTO bus_marks (name, seq) VALUES ? ON DUPLICATE KEY UPDATE seq = GREATEST(seq, VALUES(seq))",
    [marks],
  );
}

const markName = (group: GroupDeclaration) => `group:${group.name}`;

// Everything up to the cursor is in the streams. A group has handled what lies below its lowest pending entry
// and, when it has not been given all yet, nothing beyond the last one it was given.
const markScript = `
local function seq(id) return tonumber(string.match(id, '^%d+')) end
local function field(reply, name)
  for i = 1, #reply, 2 do
    if reply[i] == name then return reply[i + 1] end
  end
end
local cursor = redis.call('GET', KEYS[1])
if not cursor then return false end
local mark = tonumber(cursor)
for i = 2, #KEYS do
  local pending = redis.call('XPENDING', KEYS[i], ARGV[1])[2]
  if pending then mark = math.min(mark, seq(pending) - 1) end
  local last = seq(field(redis.call('XINFO', 'STREAM', KEYS[i]), 'last-generated-id'))
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[i])) do
    local delivered = seq(field(group, 'last-delivered-id'))
    if field(group, 'name') == ARGV[1] and delivered < last and not pending then
      mark = math.min(mark, delivered)
    end
  end
end
return mark`;

/** Undefined when Redis has lost the cursor or the group. */
async function currentMark(world: World, group: GroupDeclaration): Promise<number | undefined> {
  const keys = [cursorKey(world.platform), ...group.topics.map((topic) => streamOf(world.platform, topic))];
  try {
    const mark = await world.redis.eval(markScript, keys.length, ...keys, group.name);
    return mark === null ? undefined : Number(mark);
  } catch (error) {
    if (error instanceof Error && error.message.includes("NOGROUP")) return undefined;
    throw error;
  }
}
