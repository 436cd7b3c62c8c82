import { isIP } from "node:net";

const mapped = "::ffff:";

/**
 * The address that a request is counted by: the socket's, or the entry of `X-Forwarded-For` that `trustedHops`
 * proxies in front of us vouch for. Each of them appends the address it was called from.
 */
export function clientAddress(socket: string, forwardedFor: string | null, trustedHops: number): string {
  if (trustedHops === 0 || forwardedFor === null) return plain(socket);
  const entries = forwardedFor.split(",");
  const vouched = plain(entries[Math.max(entries.length - trustedHops, 0)]?.trim() ?? "");
  return isIP(vouched) === 0 ? plain(socket) : vouched;
}

/** IPv4 addresses come as IPv6 ones from a socket that takes both. */
const plain = (address: string) =>
  (address.startsWith(mapped) ? address.slice(mapped.length) : address).toLowerCase();
