import { describe, expect, test } from "bun:test";
import { foundAmong, type Promised } from "./shelf.ts";

const description = "Fast server for compute";

const promises: Promised[] = [
  [
    "the very sku comes first, in the very case before another",
    "vm-4",
    [
      { name: "vm-4", isPopular: true },
      { name: "VM 4 Popular", isPopular: true },
      { name: "Other case", sku: "VM-4", isPopular: true },
      { name: "Very sku", sku: "vm-4" },
    ],
    ...["Very sku", "Other case", "vm-4", "VM 4 Popular"],
  ],
  [
    "the very sku comes first, where it is but a letter",
    "c",
    [
      { name: "Cloud", isPopular: true },
      { name: "C", isPopular: true },
      { name: "Other", sku: "C" },
    ],
    ...["Other", "C", "Cloud"],
  ],
  [
    "the very sku comes first, where it ends in a letter",
    "vm-x",
    [
      { name: "VM X", isPopular: true },
      { name: "Thing", sku: "VM-X" },
    ],
    ...["Thing", "VM X"],
  ],
  [
    "the very sku comes first, where it has no letter at all",
    "--.",
    [
      { name: "--. Popular", isPopular: true },
      { name: "Thing", sku: "--." },
    ],
    ...["Thing", "--. Popular"],
  ],
  [
    "the very sku comes first, where it has more words than count",
    "a-b-c-d-e-f-g-h-i-j-k-l-m",
    [
      { name: "Thirteen a-b-c-d-e-f-g-h-i-j-k-l-m", isPopular: true },
      { name: "Thing", sku: "A-B-C-D-E-F-G-H-I-J-K-L-M" },
    ],
    ...["Thing", "Thirteen a-b-c-d-e-f-g-h-i-j-k-l-m"],
  ],
  [
    "the very name comes before names that go on",
    " standard VM ",
    [
      { name: "Standard VM 4", isPopular: true },
      { name: "VM Standard", isPopular: true },
      { name: "Standard VM" },
    ],
    ...["Standard VM", "Standard VM 4", "VM Standard"],
  ],
  [
    "popular ones come first among equals, then those of a smaller sortOrder",
    "server",
    [
      { name: "Late Server", sortOrder: 9 },
      { name: "Early Server", sortOrder: -9 },
      { name: "Late Popular Server", sortOrder: 99, isPopular: true },
      { name: "Early Popular Server", sortOrder: 98, isPopular: true },
    ],
    ...["Early Popular Server", "Late Popular Server", "Early Server", "Late Server"],
  ],
  [
    "words in names come before those in categories, features, specs and descriptions",
    "compute",
    [
      { name: "Described", description, isPopular: true },
      { name: "Specified", specs: { use: "compute" }, isPopular: true },
      { name: "Featured", features: ["For compute"], isPopular: true },
      { name: "Sorted", category: "compute", isPopular: true },
      { name: "The Compute" },
    ],
    ...["The Compute", "Sorted", "Featured", "Specified", "Described"],
  ],
  [
    "the name of a spec is found as its value is",
    "uplink",
    [{ name: "Wired", specs: { uplink: "10 Gbit/s" } }, { name: "Wireless" }],
    "Wired",
  ],
  [
    "whole words come before words that go on",
    "vm 4",
    [
      { name: "VM 48", isPopular: true },
      { name: "VMware 4", isPopular: true },
      { name: "VM 4" },
      { name: "My VM 4" },
    ],
    ...["VM 4", "My VM 4", "VM 48"],
  ],
  [
    "all words are wanted where some product has all",
    "server frankfurt",
    [
      { name: "Server Server", isPopular: true },
      { name: "Server Tokyo", description: "Frankfurt is near" },
      { name: "Frankfurt Server" },
    ],
    ...["Frankfurt Server", "Server Tokyo"],
  ],
  [
    "some words are enough where no product has all, the most first",
    "server frankfurt gold",
    [
      { name: "Server", isPopular: true },
      { name: "Golden Gate" },
      { name: "Server Frankfurt" },
      { name: "Volume", isPopular: true },
    ],
    ...["Server Frankfurt", "Server", "Golden Gate"],
  ],
];

describe("the ranking promises:", () => {
  for (const [what, query, given, ...names] of promises)
    test(what, () => {
      expect(foundAmong(given, query)).toEqual([names, names]);
    });
});
