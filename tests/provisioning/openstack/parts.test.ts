import { describe, expect, test } from "bun:test";
import { smallestFitting } from "../../../src/provisioning/drivers/openstack/flavor.ts";
import { userDataOf } from "../../../src/provisioning/drivers/openstack/user-data.ts";

describe("the flavor of a machine", () => {
  const flavor = (name: string, vcpus: number, ram: number, disk: number, disabled = false) => ({
    ...{ id: `id-${name}`, name, vcpus, ram, disk },
    "OS-FLV-DISABLED:disabled": disabled,
  });
  const flavors = [
    flavor("big", 8, 16_384, 160),
    flavor("wide", 4, 2048, 20),
    flavor("b-medium", 2, 4096, 40),
    flavor("a-medium", 2, 4096, 40),
    flavor("closed", 2, 4096, 40, true),
    flavor("roomy", 2, 4096, 80),
    flavor("rich", 2, 8192, 40),
    flavor("diskless", 2, 8192, 0),
    flavor("small", 1, 2048, 20),
  ];
  const anyImage = { id: "image", minRamMb: 0, minDiskGb: 0 };
  const choices: [size: [number, number, number], image: object, name: string | undefined][] = [
    [[1, 256, 1], {}, "small"],
    [[1, 2048, 20], {}, "small"],
    [[1, 2049, 20], {}, "a-medium"],
    [[2, 4096, 40], {}, "a-medium"],
    [[2, 4096, 41], {}, "roomy"],
    [[2, 4097, 1], {}, "rich"],
    [[3, 256, 1], {}, "wide"],
    [[3, 4096, 1], {}, "big"],
    [[9, 256, 1], {}, undefined],
    [[1, 256, 1], { minRamMb: 4096 }, "a-medium"],
    [[1, 256, 1], { minDiskGb: 60 }, "roomy"],
    [[1, 256, 1], { minDiskGb: 500 }, undefined],
  ];
  for (const [[vcpu, memoryMb, diskGb], image, name] of choices)
    test(`of ${vcpu} cores, ${memoryMb} MiB and ${diskGb} GiB for ${JSON.stringify(image)} is ${name}`, () => {
      const found = smallestFitting(flavors, { vcpu, memoryMb, diskGb }, { ...anyImage, ...image });
      expect(found?.name).toBe(name as string);
    });
});

describe("the user data of a machine", () => {
  const decode = (data: string | undefined) => Buffer.from(data ?? "", "base64").toString();

  test("is the tenant's own, byte for byte", () => {
    expect(decode(userDataOf("#!/bin/sh\necho ä\r\n", []))).toBe("#!/bin/sh\necho ä\r\n");
    expect(userDataOf(undefined, [])).toBeUndefined();
    expect(userDataOf("", [])).toBeUndefined();
  });

  test("carries the keys that Nova takes no more of, and no more than keys", () => {
    const config = decode(userDataOf(undefined, ["ssh-ed25519 AAAA ada\n", 'x"\nruncmd: [reboot]']));
    const [first, ...rest] = config.split("\n");
    expect(first).toBe("#cloud-config");
    expect(rest).toEqual([
      "ssh_authorized_keys:",
      '  - "ssh-ed25519 AAAA ada"',
      String.raw`  - "x\"\nruncmd: [reboot]"`,
      "",
    ]);
  });

  /** The parts beside each other, without their heads. */
  function partsOf(text: string): string[] {
    const [, boundary] = /boundary="(landfall-[0-9a-f]+)"/.exec(text) as unknown as [string, string];
    return text.split(`--${boundary}`).slice(1, -1);
  }
  const bodyOf = (part = "") => decode(part.trim().split("\n\n")[1]);
  const keys = '#cloud-config\nssh_authorized_keys:\n  - "ssh-ed25519 AAAA ada"\n';

  test("carries both, each as a part of its own", () => {
    const own = "#cloud-config\npackages: [nginx]\n";
    const [first, second] = partsOf(decode(userDataOf(own, ["ssh-ed25519 AAAA ada"])));
    expect([bodyOf(first), bodyOf(second)]).toEqual([own, keys]);
    expect(first).toContain("Content-Type: text/plain");
    expect(second).toContain("X-Merge-Type: list(append)");
  });

  test("leaves the tenant's own parts as they are", () => {
    const own = 'Content-Type: multipart/mixed; boundary="X"\nMIME-Version: 1.0\n\n--X\n\n#!/bin/sh\n--X--\n';
    const [first, second] = partsOf(decode(userDataOf(own, ["ssh-ed25519 AAAA ada"])));
    expect(first).toBe(`\n${own}\n`);
    expect(bodyOf(second)).toBe(keys);
  });

  test("is refused where Nova would not take it", () => {
    expect(userDataOf("x".repeat(49_149), [])).toHaveLength(65_532);
    expect(() => userDataOf("x".repeat(49_152), [])).toThrow("48 KiB fit");
  });
});
