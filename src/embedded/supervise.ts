import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";

/** A child process that ends when this process ends, however that happens. */
export interface Child {
  pid: number;
  /** The exit code, or the signal's name; undefined while it runs. */
  ending(): string | undefined;
  /** The file that takes what the process prints. */
  outputFile: string;
  /** Resolves when the process is gone. */
  ended: Promise<void>;
  /** Keeps this process alive until the child is gone; without it a running child does not. */
  hold(): void;
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

// The shell becomes the command; a watcher beside it ends it when the pipe from the parent closes.
const pipeTie = 'exec 3<&0; (read _ <&3; kill $$ 2>/dev/null) & input=$1; shift; exec "$@" 3<&- <"$input"';

/** Finds util-linux's setpriv; other ones (BusyBox) lack `--pdeathsig`. */
export function findSetpriv(): string | null {
  const setpriv = Bun.which("setpriv");
  if (!setpriv || process.platform !== "linux") return null;
  const trial = Bun.spawnSync([setpriv, "--pdeathsig", "TERM", "--", "true"], { stderr: "ignore" });
  return trial.exitCode === 0 ? setpriv : null;
}

/**
 * Starts `command` in a session of its own, so that Ctrl-C does not reach it, yet tied to this process: when this
 * one is killed, the child gets SIGTERM. Call it on the main thread: the kernel counts a worker's end as well.
 */
export function spawnTied(
  command: string[],
  options: { outputFile: string; inputFile?: string; setpriv?: string | null },
): Child {
  const { outputFile, inputFile = "/dev/null", setpriv = findSetpriv() } = options;
  const output = openSync(outputFile, "a", 0o600);
  const input = setpriv ? openSync(inputFile, "r") : undefined;
  try {
    const tie = setpriv
      ? [setpriv, "--pdeathsig", "TERM", "--"]
      : ["/bin/sh", "-c", pipeTie, "sh", inputFile];
    const child = Bun.spawn([...tie, ...command], {
      stdin: input ?? "pipe",
      stdout: output,
      stderr: output,
      detached: true,
    });
    child.unref();
    return asChild(child, outputFile);
  } finally {
    closeSync(output);
    if (input !== undefined) closeSync(input);
  }
}

function asChild(child: Bun.Subprocess<"pipe" | number, number, number>, outputFile: string): Child {
  // The watcher of the pipe tie leaves with the pipe.
  const ended = child.exited.then(() => {
    if (child.stdin && typeof child.stdin !== "number") child.stdin.end();
  });
  return {
    pid: child.pid,
    ending: () => (child.signalCode ?? child.exitCode)?.toString(),
    outputFile,
    ended,
    hold: () => child.ref(),
    signal: (name) => child.kill(name),
  };
}

/** The command line of a running process; undefined when there is none (a zombie has none either). */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.toString().trim() || undefined;
  }
  const deadline = performance.now() + 100;
  try {
    for (;;) {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      if (line || performance.now() > deadline) return line || undefined;
      // Empty for an instant within exec too; then, unlike a zombie's or a kernel thread's, its program is known.
      readlinkSync(`/proc/${pid}/exe`);
    }
  } catch {
    return undefined;
  }
}

/** Throws, with the end of what it printed, when the process has ended. */
export function throwIfEnded(name: string, child: Child): void {
  const ending = child.ending();
  if (ending === undefined) return;
  const lastLines = readFileSync(child.outputFile, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  throw new Error(`${name} ended early (${ending}). The end of ${child.outputFile}:\n${lastLines}`);
}

/** Waits until a one-off command is done; throws with the end of what it printed when it fails. */
export async function completed(name: string, child: Child, timeoutMs: number): Promise<void> {
  child.hold();
  const late = setTimeout(() => child.signal("SIGKILL"), timeoutMs);
  await child.ended;
  clearTimeout(late);
  if (child.ending() !== "0") throwIfEnded(name, child);
}
