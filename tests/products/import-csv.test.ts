import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { csv, csvOf, everything, expectReport, importFile, inVain, quoted, withSku } from "./imports.ts";
import { newSku } from "./products.endpoints.ts";
import { defaults, get, make } from "./products.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

const send = (file: string) => importFile(seller, file, { type: csv });
const inVainCsv = (file: string, query?: string) =>
  inVain(house, seller, file, { type: csv, ...(query ? { query } : {}) });
const bySku = (sku: string) => withSku(house, seller, sku);

const required = ["sku", "name", "category", "monthlyPrice"];
/** The required cells, with a sku that no product has. */
const cells = (name = "Server") => [newSku(), name, "compute", "24.9"];
/** Two columns of new products, as text that is no CSV yet. */
const header = "sku,name,category,monthlyPrice";
const row = (name: string, sku = newSku()) => `${sku},${name},compute,24.9`;

describe("a CSV file", () => {
  const breaks: [what: string, write: (lines: string[]) => string][] = [
    ["LF", (lines) => lines.join("\n")],
    ["LF at the end as well", (lines) => `${lines.join("\n")}\n`],
    ["CRLF", (lines) => lines.join("\r\n")],
    ["CRLF at the end as well", (lines) => `${lines.join("\r\n")}\r\n`],
    ["CR", (lines) => `${lines.join("\r")}\r`],
    ["CRLF after the header, then LF", ([first, ...lines]) => `${first}\r\n${lines.join("\n")}`],
    ["LF after the header, then CRLF", ([first, ...lines]) => `${first}\n${lines.join("\r\n")}\r\n`],
    ["blank lines between", (lines) => `\n\r\n${lines.join("\n\n \t \r\n\n")}\n\n\n`],
    ["a byte-order mark", (lines) => `\ufeff${lines.join("\r\n")}`],
  ];
  for (const [what, write] of breaks)
    for (const quote of [false, true])
      test(`may have ${what}, ${quote ? "with" : "without"} quotes`, async () => {
        const rows = [cells("Ä"), cells("B")];
        const lines = [required, ...rows].map((line) => line.map(quote ? quoted : String).join(","));
        expectReport(await send(write(lines)), { created: 2 });
        for (const [sku = "", name, category, price] of rows)
          expect(await bySku(sku)).toMatchObject({ name, category, monthlyPrice: Number(price) });
      });

  test("names its columns in whatever order, and only those it needs", async () => {
    const [sku, known] = [newSku(), await make(seller, { tier: "basic" })];
    expectReport(
      await send(csvOf(["monthlyPrice", "tier", "sku", "category", "name"], ["1", "", sku, "a", "b"])),
      {
        created: 1,
      },
    );
    expect(await bySku(sku)).toMatchObject({ ...defaults, monthlyPrice: 1, category: "a", name: "b" });
    expectReport(await send(csvOf(["monthlyPrice", "sku"], ["1.5", known.sku])), { updated: 1 });
    const { updatedAt, ...now } = (await get(seller, known.id)).data;
    expect({ ...now, updatedAt: known.updatedAt }).toEqual({ ...known, monthlyPrice: 1.5, version: 2 });
  });

  test("may have fewer cells in a line than columns", async () => {
    const sku = newSku();
    expectReport(await send(`${header},tier,ctaText\n${row("A", sku)}\n${row("B")},basic`), { created: 2 });
    expect(await bySku(sku)).toMatchObject(defaults);
  });

  const empty: [what: string, file: string][] = [
    ["a header alone", `${header}\r\n`],
    ["a header with blank lines", `\n${header}\n\n \r\n`],
    ["blank lines", "\r\n\n  \n"],
    ["a byte-order mark", "\ufeff"],
  ];
  for (const [what, file] of empty)
    test(`of ${what} does nothing`, async () => {
      expectReport(await inVainCsv(file), {});
    });

  test("without a byte is missing", async () => {
    expectInvalid(await inVainCsv(""), "");
  });

  const faulty: [what: string, file: string, pointers: string[]][] = [
    ["unknown columns", `${header},price,id\n${row("A")},1,2`, ["/0/price", "/0/id"]],
    ["unknown columns and no rows", "sku,Name", ["/0/Name"]],
    ["a column that is no name in a path", `${header},a/b~c\n`, ["/0/a~1b~0c"]],
    ["a column without a name", `${header},\n${row("A")},`, ["/0/"]],
    ["blanks around a column", `sku, name\n`, ["/0/ name"]],
    ["names that every object has", "sku,__proto__,toString\n", ["/0/__proto__", "/0/toString"]],
    ["a column twice", `${header},name\n${row("A")},B`, ["/0/name"]],
    ["semicolons", "sku;name\nA;B\n", ["/0/sku;name"]],
    ["more cells than columns", `${header}\n${row("A")}\n\n${row("B")},x\n${row("C")},`, ["/1", "/2"]],
    ["a quote that is not closed", `${header}\n${row("A")}\n${row('"B')}\n${row("C")}`, ["/1"]],
    ["one behind blank lines", `${header}\n\n\n${row("A")}\n\n${row('"B')}`, ["/1"]],
    ["one that opens nothing", `${header}\n${row("A")}\n"`, ["/1"]],
    ["one in the header", `${header},"tier`, ["/0"]],
    ["one in the header, and rows", `"${header}\n${row("A")}`, ["/0"]],
    ["text behind a quote", `\n${header}\n\n${row('"A"b')}\n${row('"B"')}`, ["/0"]],
    ["text behind a quote in the header", `"sku"x,name\n`, ["/0"]],
    ["no sku", `${header}\n,A,compute,1\n`, ["/0/sku"]],
    ["a line of empty cells", `${header}\n${row("A")}\n,,,\n`, required.map((field) => `/1/${field}`)],
    [
      "no column of skus",
      "name\nA\n",
      required.filter((field) => field !== "name").map((field) => `/0/${field}`),
    ],
  ];
  for (const [what, file, pointers] of faulty)
    test(`with ${what} is refused there`, async () => {
      expectInvalid(await inVainCsv(file), ...pointers);
    });

  test("tells every fault of every row at once", async () => {
    const [sku, name] = [newSku(), ""];
    const file = [
      "",
      `${header},tier,specs`,
      `${row("A", sku)},gold,"{""a"":1}"`,
      `${row("B")},,,,,`,
      `${row(name)},basic,`,
      `${row("C", sku)},,`,
      "",
      `${newSku()},D,Compute,-1,,`,
    ];
    expectInvalid(
      await inVainCsv(file.join("\r\n")),
      ...["/0/tier", "/0/specs/a", "/1", "/2/name", "/3/sku", "/4/category", "/4/monthlyPrice"],
    );
  });

  test("is read up to a stray quote: what follows can't be told apart", async () => {
    const rows = [row(""), row("A"), row('"B"b'), `${row("")},,`, row('"C"'), row("")];
    expectInvalid(await inVainCsv([header, ...rows].join("\n")), "/0/name", "/2");
  });

  test("has 10,000 rows at most", async () => {
    const rows = Array.from({ length: 10_001 }, (_, i) => row(`"Server ${i}"`));
    expectInvalid(await inVainCsv([header, ...rows].join("\r\n\r\n")), "/10000");
  });
});

describe("an empty cell", () => {
  const others = [
    ...["description", "status", "specs", "hourlyPrice", "unitPrice", "currency", "annualDiscount", "tier"],
    ...["features", "isPopular", "sortOrder", "ctaText", "ctaAction"],
  ];

  test("is the default of a new product", async () => {
    const [sku = "", ...rest] = cells();
    const file = csvOf([...required, ...others], [sku, ...rest, ...others.map(() => "")]);
    expectReport(await send(file), { created: 1 });
    expect(await bySku(sku)).toMatchObject({ ...defaults, name: "Server" });
  });

  test("leaves a product as it is", async () => {
    const full = {
      ...{
        description: "d",
        status: "paused",
        specs: { a: "b" },
        hourlyPrice: 1,
        unitPrice: 2,
        currency: "EUR",
      },
      ...{ annualDiscount: 5, tier: "premium", features: ["f"], isPopular: true, sortOrder: 7 },
      ...{ ctaText: "t", ctaAction: "a" },
    };
    const made = await make(seller, full);
    const columns = [...others, ...required.slice(1), "sku"];
    const nothing = columns.slice(1).map(() => "");
    const before = await everything(house);
    expectReport(await send(csvOf(columns, [...nothing, made.sku])), { unchanged: 1 });
    expect(await everything(house)).toEqual(before);
  });
});
