import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * What a request is counted by: the socket's address, or the entry of `X-Forwarded-For` that `trustedHops` proxies
 * in front of us vouch for. Each of them appends the address it was called from. Of an IPv6 address the first 64
 * bits count: whoever has one has the rest of them (RFC 6177).
 */
export function clientAddress(socket: string, forwardedFor: string | null, trustedHops: number): string {
  const entries = trustedHops === 0 ? [] : (forwardedFor?.split(",") ?? []);
  const vouched = entries[Math.max(entries.length - trustedHops, 0)]?.trim() ?? "";
  return counted(vouched) ?? counted(socket) ?? socket;
}

const mapped = "::ffff:";

/** An address as it is counted, also where its port is written behind it; null for what is none. */
function counted(text: string): string | null {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  // IPv4 addresses come as IPv6 ones from a socket that takes both.
  const plain = address.startsWith(mapped) ? address.slice(mapped.length) : address;
  if (isIPv4(plain)) return plain;
  if (!isIPv6(address)) return null;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")
    : parsed.toString();
}
