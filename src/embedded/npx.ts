import { readFileSync } from "node:fs";

const lookEveryMs = 500;
/** As the program begins: npx may be ended before the program is ready to look. */
const first = ancestors();

/**
 * Calls `leave` once npx, which has started this program, was ended: it ends its own shell and nothing below
 * that, so the program would go on unseen. Where there is no `/proc`, Ctrl-C is what ends them together.
 */
export function leaveWithNpx(leave: () => void): void {
  const looking = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(looking);
    leave();
  }, lookEveryMs);
  looking.unref();
}

/** Who started this program, and who started that one; a process whose parent has ended gets another. */
function ancestors(): string {
  const parent = parentOf("self");
  return `${parent} ${parentOf(parent)}`;
}

/** The fourth field of `stat`; the second is a name in brackets that may hold anything. */
function parentOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "";
  } catch {
    return "";
  }
}
