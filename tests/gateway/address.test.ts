import { describe, expect, test } from "bun:test";
import { clientAddress } from "../../src/gateway/address.ts";

describe("the client's address", () => {
  for (const [socket, forwarded, hops, address] of [
    ["192.0.2.1", null, 0, "192.0.2.1"],
    ["::ffff:192.0.2.1", null, 0, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", 0, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", 1, "198.51.100.7"],
    ["192.0.2.1", null, 1, "192.0.2.1"],
    // What a client writes itself stands further left than what the proxies have seen.
    ["192.0.2.1", "203.0.113.9, 198.51.100.7", 1, "198.51.100.7"],
    ["192.0.2.1", "203.0.113.9, 198.51.100.7", 2, "203.0.113.9"],
    ["192.0.2.1", "198.51.100.7", 3, "198.51.100.7"],
    ["192.0.2.1", " 2001:DB8::1 ", 1, "2001:db8:0:0"],
    ["192.0.2.1", "2001:db8:0:0:ffff:1:2:3", 1, "2001:db8:0:0"],
    ["2001:db8:1:2::9", null, 0, "2001:db8:1:2"],
    ["192.0.2.1", "198.51.100.7:4711", 1, "198.51.100.7"],
    ["192.0.2.1", "[2001:db8::1]:443", 1, "2001:db8:0:0"],
    ["192.0.2.1", "fe80::1%eth0", 1, "fe80:0:0:0"],
    ["192.0.2.1", "::ffff:198.51.100.7", 1, "198.51.100.7"],
    ["192.0.2.1", "unknown", 1, "192.0.2.1"],
    ["192.0.2.1", "", 1, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7, ", 1, "192.0.2.1"],
  ] as const)
    test(`behind ${hops} proxies, from ${socket} with ${JSON.stringify(forwarded)}, is ${address}`, () => {
      expect(clientAddress(socket, forwarded, hops)).toBe(address);
    });
});
