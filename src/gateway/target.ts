const hostName = /^(?:[a-z0-9_][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Whether a Host header names a host, with a port or without, of which a URL can be made. Elysia finds no path
 * behind one shorter than four characters.
 */
export const isGoodHost = (host: string): boolean =>
  host.length >= 4 && host.length <= 261 && hostName.test(host) && URL.canParse(`http://${host}`);

/** Whether a path is one that a client could mean: each `%` begins a UTF-8 octet, and nothing stands for a fragment. */
export function isGoodPath(path: string): boolean {
  if (path.includes("#")) return false;
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
