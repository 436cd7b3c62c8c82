import { describe, expect, test } from "bun:test";
import { foundAmong, namesIn, openShelf, type Promised, searchIn, shelved } from "./shelf.ts";

const promises: Promised[] = [
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
  [
    "numbers are not cut short but at the end",
    "4 servr",
    [{ name: "4 Server" }, { name: "40 Server" }],
    "4 Server",
  ],
  ["short words are not run together", "goto", [{ name: "Go To" }]],
];

describe("a search promises:", () => {
  for (const [what, query, given, ...names] of promises)
    test(what, () => {
      expect(foundAmong(given, query)).toEqual([names, names]);
    });
});

test("filters only narrow what the words find", () => {
  const shelf = openShelf([
    shelved({ name: "Server", category: "compute" }),
    shelved({ name: "Servre", category: "misspelt" }),
    shelved({ name: "Volume", category: "storage", description: "For any serve" }),
  ]);
  for (const [q, category, ...names] of [
    ["server", "compute", "Server"],
    ["server", "misspelt"],
    ["server", "storage"],
    ["server volume", "storage", "Volume"],
  ] as const)
    expect(namesIn(shelf, q, { filters: { category } })).toEqual([...names]);
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
