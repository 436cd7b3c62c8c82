import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const longestSocketPath = 103; // sun_path holds 104 bytes on macOS, 108 on Linux, the final zero included

/** The socket below `dir`, or a short one in a private temporary directory where that path is too long. */
export function socketPath(dir: string): string {
  const socket = join(dir, "server.sock");
  if (Buffer.byteLength(socket) <= longestSocketPath) return socket;
  const { uid } = userInfo();
  const name = `landfall-${uid}-${createHash("sha256").update(dir).digest("hex").slice(0, 16)}`;
  const temporary = Buffer.byteLength(tmpdir()) < 50 ? tmpdir() : "/tmp";
  const shortDir = join(temporary, name);
  mkdirSync(shortDir, { recursive: true, mode: 0o700 });
  const found = lstatSync(shortDir);
  // Anyone may create names in the temporary directory: the database has no password, so trust only our own.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${shortDir} must be a directory that only this user can enter; remove it`);
  }
  return join(shortDir, "server.sock");
}
