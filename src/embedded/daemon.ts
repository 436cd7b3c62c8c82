import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Lock, takeLock, tryLock } from "./lock.ts";
import { type Child, commandLineOf, spawnTied, throwIfEnded } from "./supervise.ts";
import { until } from "./until.ts";

/** A server that answers. */
export interface RunningServer {
  name: string;
  /** `unix:` and the absolute path of the socket. */
  url: string;
  pid: number;
  /** True when another start owns the process: `stop` then leaves it running. */
  adopted: boolean;
  /** Ends the server cleanly and waits until it is gone; SIGKILL after 30 s. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, as a crash would, and waits until it is gone. */
  kill9(): Promise<void>;
}

/** What the start of a server needs to know about it. */
export interface DaemonPlan {
  name: string;
  /** Its own directory: locks, log, pid and data. */
  dir: string;
  socket: string;
  /** Finds the program and prepares the data; gives the command to run. */
  prepare(): Promise<string[]>;
  /** True when the server answers on the socket; throws when it serves another data directory. */
  answers(): Promise<boolean>;
  log(line: string): void;
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const lockTimeoutMs = 10 * 60_000; // a first start downloads under the lock

/** Starts the server, or adopts the one that a living process already runs in the same directory. */
export async function startDaemon(plan: DaemonPlan): Promise<RunningServer> {
  mkdirSync(plan.dir, { recursive: true, mode: 0o700 });
  using _starting = await takeLock(join(plan.dir, "start.lock"), lockTimeoutMs);
  // Held as long as the server and the process that started it both live.
  const ownership = await until(async () => tryLock(join(plan.dir, "owner.lock")) ?? (await adopt(plan)), {
    timeoutMs: startTimeoutMs,
    what: `an answer of ${plan.name} on ${plan.socket}, which another process has started`,
  });
  if ("url" in ownership) return ownership;
  try {
    await retirePredecessor(plan);
    const command = await plan.prepare();
    return await launch(plan, command, ownership);
  } catch (error) {
    ownership.release();
    throw error;
  }
}

async function adopt(plan: DaemonPlan): Promise<RunningServer | undefined> {
  const pid = recordedPid(plan);
  if (pid === undefined || !(await plan.answers())) return undefined;
  const kill9 = () => endProcess(plan, pid, "SIGKILL");
  return { name: plan.name, url: `unix:${plan.socket}`, pid, adopted: true, stop: async () => {}, kill9 };
}

/** Waits for the server of a killed owner to end, then removes the socket it may have left. */
async function retirePredecessor(plan: DaemonPlan): Promise<void> {
  const pid = recordedPid(plan);
  if (pid !== undefined) {
    plan.log(`${plan.name}: waiting for process ${pid} of an earlier run to end`);
    await endProcess(plan, pid, "SIGTERM");
  }
  if (await plan.answers()) {
    throw new Error(`${plan.name} on ${plan.socket} was not started by this program; stop it first`);
  }
  rmSync(plan.socket, { force: true });
}

async function launch(plan: DaemonPlan, command: string[], owner: Lock): Promise<RunningServer> {
  const began = performance.now();
  const logFile = join(plan.dir, "server.log");
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.old`);
  const child = spawnTied(command, { outputFile: logFile });
  writeFileSync(pidFile(plan), String(child.pid));
  try {
    const what = `${plan.name} to answer on ${plan.socket}; see ${logFile}`;
    const answers = () => {
      throwIfEnded(plan.name, child);
      return plan.answers();
    };
    await until(answers, { timeoutMs: startTimeoutMs, what });
  } catch (error) {
    child.hold();
    child.signal("SIGKILL");
    await child.ended;
    throw error;
  }
  plan.log(`${plan.name} answers on ${plan.socket} after ${Math.round(performance.now() - began)} ms`);
  return owned(plan, child, owner);
}

function owned(plan: DaemonPlan, child: Child, owner: Lock): RunningServer {
  const ended = child.ended.then(() => owner.release());
  const kill9 = async () => {
    child.hold();
    child.signal("SIGKILL");
    await ended;
  };
  const stop = async () => {
    using _stopping = await takeLock(join(plan.dir, "start.lock"), lockTimeoutMs);
    child.hold();
    child.signal("SIGTERM");
    const late = setTimeout(() => {
      plan.log(`${plan.name} did not end within ${stopTimeoutMs / 1000} s: killed`);
      child.signal("SIGKILL");
    }, stopTimeoutMs);
    await ended;
    clearTimeout(late);
  };
  return { name: plan.name, url: `unix:${plan.socket}`, pid: child.pid, adopted: false, stop, kill9 };
}

function pidFile(plan: DaemonPlan): string {
  return join(plan.dir, "server.pid");
}

/** The recorded process, when it lives and is this server: process ids are used again. */
function recordedPid(plan: DaemonPlan): number | undefined {
  if (!existsSync(pidFile(plan))) return undefined;
  const pid = Number(readFileSync(pidFile(plan), "utf8"));
  return pid > 0 && commandLineOf(pid)?.includes(plan.socket) ? pid : undefined;
}

async function endProcess(plan: DaemonPlan, pid: number, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone by itself in the meantime: just as well.
    if (recordedPid(plan) === pid) throw error;
  }
  await until(() => recordedPid(plan) !== pid, {
    timeoutMs: stopTimeoutMs,
    what: `process ${pid} (${plan.name}) to end`,
  });
}
