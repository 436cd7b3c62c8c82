import { describe, expect, test } from "bun:test";
import type { Product } from "../../schema/products/product.ts";
import { namesIn, openShelf, searchIn, shelved } from "./shelf.ts";

type Given = Partial<Product> & { name: string };
type Promised = [what: string, query: string, given: Given[], ...names: string[]];

const description = "Fast server for compute";

/** What is found among the given, the best first. Among equals, the order in which they are given decides. */
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
  [
    "the last word may be unfinished",
    "private net",
    [{ name: "Private Network" }, { name: "Private Cloud" }, { name: "Net" }],
    "Private Network",
  ],
  [
    "one letter goes on as well",
    "private n",
    [{ name: "Private Network" }, { name: "Private Cloud" }],
    "Private Network",
  ],
  [
    "a first word may be unfinished where nothing is spelt so",
    "priv netw",
    [{ name: "Private Network" }, { name: "Private Cloud" }],
    "Private Network",
  ],
  [
    "misspelt words count only where nothing is spelt so",
    "sever",
    [{ name: "Server", isPopular: true }, { name: "Sever Things" }],
    "Sever Things",
  ],
  ["one letter may be wrong in four", "dixk", [{ name: "Disk" }, { name: "Dusk" }, { name: "Desk" }], "Disk"],
  [
    "fewer wrong letters come first",
    "kubernetez",
    [{ name: "Kubernettes", isPopular: true }, { name: "Kubernetes" }],
    ...["Kubernetes", "Kubernettes"],
  ],
  ["the first letter may be wrong", "lubernetes", [{ name: "Kubernetes" }], "Kubernetes"],
  [
    "numbers are never misspelt",
    "vm 40",
    [{ name: "VM 41" }, { name: "VM 40" }, { name: "VM 400" }],
    "VM 40",
    "VM 400",
  ],
  ["short words are never misspelt", "vn", [{ name: "VM" }]],
  [
    "words run together find them apart",
    "loadbalancer",
    [{ name: "Load Balancer" }, { name: "Load" }],
    "Load Balancer",
  ],
  ["words apart find them run together", "fire wall", [{ name: "Firewall" }, { name: "Fire" }], "Firewall"],
  ["a number at the end of a word is found apart", "vm4", [{ name: "VM 4" }, { name: "VM 8" }], "VM 4"],
  [
    "a number apart is found at the end of a word",
    "h 100",
    [{ name: "GPU H100" }, { name: "GPU H200" }],
    "GPU H100",
  ],
  [
    "numbers stand by their units, written together or apart",
    "16gb",
    [
      { name: "Sixteen cores", specs: { vcpu: "16", memory: "8 GB" }, isPopular: true },
      { name: "Written apart", specs: { memory: "16 GB" } },
      { name: "Written together", features: ["16GB memory"] },
    ],
    ...["Written together", "Written apart", "Sixteen cores"],
  ],
  [
    "a spec is found by value and name",
    "4 vcpu",
    [
      { name: "Big", specs: { vcpu: "8", volumes: "4" }, isPopular: true },
      { name: "Small", specs: { vcpu: "4", volumes: "8" } },
    ],
    ...["Small", "Big"],
  ],
  ["accents need not be typed", "zurich", [{ name: "Server Zürich" }], "Server Zürich"],
  ["accents may be typed", "Zürich", [{ name: "Server Zurich" }], "Server Zurich"],
  [
    "letters that are none elsewhere need not be typed",
    "lodz strasse",
    [{ name: "Łódź Straße" }],
    "Łódź Straße",
  ],
  [
    "a sku is found by its beginning",
    "com-al",
    [
      { name: "Yes", sku: "COM-ALT-1" },
      { name: "No", sku: "ALT-COM-1" },
    ],
    "Yes",
    "No",
  ],
  [
    "a sku is found by its beginning down to a letter after a number",
    "t-9f",
    [
      { name: "Yes", sku: "T-9f3a" },
      { name: "No", sku: "T-93fa" },
    ],
    "Yes",
  ],
  [
    "words of other scripts are found, finished or not",
    "サー",
    [{ name: "サーバー 東京" }, { name: "東京" }],
    "サーバー 東京",
  ],
  [
    "signs are found at the beginning of words",
    "🚀",
    [{ name: "Big 🚀 Server" }, { name: "Server" }, { name: "🚀" }],
    "🚀",
    "Big 🚀 Server",
  ],
  ["signs beside words do not count", "server!!! (?)", [{ name: "Server" }], "Server"],
  [
    "nothing asked finds all, the popular first",
    " ",
    [{ name: "A" }, { name: "B", isPopular: true }],
    "B",
    "A",
  ],
];

describe("a search promises:", () => {
  for (const [what, query, given, ...names] of promises)
    test(what, () => {
      const products = given.map((each, i) => shelved({ sortOrder: i, ...each }));
      // However they came in.
      for (const order of [products, products.toReversed()])
        expect(namesIn(openShelf(order), query)).toEqual(names);
    });
});

describe("an odd query", () => {
  const shelf = openShelf(
    ["Server", "constructor", "__proto__", "Server toString", "100 %", "a'b\"c", "日本"].map((name) =>
      shelved({ name }),
    ),
  );
  for (const [query, count] of [
    ["constructor", 1],
    ["__proto__", 1],
    ["toString", 1],
    ["hasOwnProperty", 0],
    ["%", 1],
    ["100%", 1],
    ["' OR 1=1 --", 1],
    ["*", 0],
    [".*", 0],
    ["(", 0],
    ["[a-z]+", 1],
    ["\\", 0],
    ["\u0000", 0],
    ["\u0301", 7],
    ["\ud800", 0],
    ["😀", 0],
    ["日", 1],
    ["s".repeat(200), 0],
    ["ﷺ".repeat(200), 0],
    ["server ".repeat(28), 2],
    [". - _ !", 0],
  ] as const)
    test(`${JSON.stringify(query.slice(0, 20))} finds ${count}`, () => {
      expect(searchIn(shelf, query).meta.total).toBe(count);
    });
});
