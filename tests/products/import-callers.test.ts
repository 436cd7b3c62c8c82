import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { csv, csvOf, everything, expectReport, importFile, inVain, linesOf, withSku } from "./imports.ts";
import { make, newProduct, put, remove, withApiKey } from "./products.ts";

let house: House;
let admin: Person;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, seller] = await Promise.all([house.admin(), house.staff("PRODUCT")]);
});
afterAll(() => house.close());

const replayed = ({ headers }: { headers: Headers }) => headers.get("idempotency-replayed");
const newKey = () => ({ "Idempotency-Key": crypto.randomUUID() });

describe("POST /api/products/import", () => {
  test("is for ADMIN and PRODUCT alone; whoever else asks learns nothing of the file", async () => {
    const others = [
      await house.signUp(),
      ...(await Promise.all(["OPS", "SALES", "FINANCE", "SECURITY"].map((role) => house.staff(role)))),
      await house.service(admin),
      await withApiKey(house, admin, "products:write"),
      await withApiKey(house, seller, "products:read"),
      await withApiKey(house, admin),
    ];
    for (const file of [linesOf(newProduct()), linesOf({}), "{", ""])
      for (const person of others)
        for (const query of ["", "?dryRun=true"])
          expectProblem(await inVain(house, person, file, { query }), "forbidden");
    for (const person of [admin, seller])
      expectReport(await importFile(person, linesOf(newProduct())), { created: 1 });
  });

  test("takes true or false for dryRun, and no other parameter", async () => {
    const file = linesOf(newProduct());
    for (const query of ["?dryRun=", "?dryRun=1", "?dryRun=TRUE", "?dryRun=yes", "?dryRun=true&dryRun=true"])
      expectInvalid(await inVain(house, seller, file, { query }), "query/dryRun");
    expectInvalid(await inVain(house, seller, file, { query: "?dryrun=true" }), "query/dryrun");
    expectReport(await inVain(house, seller, file, { query: "?dryRun=true" }), { created: 1, dryRun: true });
    expectReport(await importFile(seller, file, { query: "?dryRun=false" }), { created: 1 });
  });

  test("takes its media types in any case and with parameters", async () => {
    const row = newProduct();
    for (const type of ["application/x-ndjson", "Application/X-NDJSON; charset=utf-8"])
      expect((await importFile(seller, linesOf(row), { type })).status).toBe(200);
    const file = csvOf(["sku", "name"], [row.sku, "Ä"]);
    for (const type of ["text/csv; charset=utf-8", "TEXT/CSV;header=present", "text/csv ; charset=UTF-8"])
      expect((await importFile(seller, file, { type })).status).toBe(200);
    expect(await withSku(house, seller, row.sku)).toMatchObject({ name: "Ä", version: 2 });
  });

  test("does not heed If-Match, which names one version", async () => {
    const headers = { "If-Match": '"9"' };
    expectReport(await importFile(seller, linesOf(newProduct()), { headers }), { created: 1 });
  });
});

describe("an Idempotency-Key", () => {
  test("answers the same file with the same report, and does nothing", async () => {
    const [headers, known, fresh] = [newKey(), await make(seller), newProduct()];
    const file = linesOf({ sku: known.sku, name: "Renamed" }, fresh);
    const first = await importFile(seller, file, { headers });
    expectReport(first, { created: 1, updated: 1 });
    expect(replayed(first)).toBeNull();
    await put(seller, known.id, { name: "Renamed since" });
    const again = await inVain(house, seller, file, { headers });
    expectReport(again, { created: 1, updated: 1 });
    expect(replayed(again)).toBe("true");
    expectReport(await importFile(seller, file), { updated: 1, unchanged: 1 });
  });

  test("answers again where its rows would be refused by now", async () => {
    const [headers, known] = [newKey(), await make(seller)];
    const file = linesOf({ sku: known.sku, name: "Renamed" });
    expectReport(await importFile(seller, file, { headers }), { updated: 1 });
    await remove(seller, known.id);
    expectInvalid(await inVain(house, seller, file), "/0/category", "/0/monthlyPrice");
    const again = await inVain(house, seller, file, { headers });
    expectReport(again, { updated: 1 });
    expect(replayed(again)).toBe("true");
  });

  test("counts for one file, one way to read it and one query", async () => {
    const [headers, file] = [newKey(), "\n"];
    expectReport(await importFile(seller, file, { headers }), {});
    const others = [
      [linesOf(newProduct()), { headers }],
      [file, { headers, type: csv }],
      [file, { headers, query: "?dryRun=true" }],
    ] as const;
    for (const [other, sending] of others)
      expectProblem(await inVain(house, seller, other, sending), "idempotency_mismatch");
  });

  test("of a dry run is not one of the import", async () => {
    const [headers, file] = [newKey(), linesOf(newProduct())];
    const dry = { headers, query: "?dryRun=true" };
    expectReport(await inVain(house, seller, file, dry), { created: 1, dryRun: true });
    expectReport(await inVain(house, seller, file, dry), { created: 1, dryRun: true });
    expectProblem(await inVain(house, seller, file, { headers }), "idempotency_mismatch");
    expectReport(await importFile(seller, file, { headers: newKey() }), { created: 1 });
  });

  test("of a refused file may be used again", async () => {
    const [headers, row] = [newKey(), newProduct()];
    expectInvalid(await inVain(house, seller, linesOf(row, row), { headers }), "/1/sku");
    expectReport(await importFile(seller, linesOf(row), { headers }), { created: 1 });
  });

  test("lets one of many imports of a file through", async () => {
    const [headers, file] = [newKey(), linesOf(...Array.from({ length: 50 }, () => newProduct()))];
    const answers = await Promise.all(Array.from({ length: 8 }, () => importFile(seller, file, { headers })));
    const done = answers.filter(({ status }) => status === 200);
    for (const answer of done) expectReport(answer, { created: 50 });
    expect(done.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "idempotency_in_progress");
    const before = await everything(house);
    const later = await importFile(seller, file, { headers });
    expect([later.data.created, replayed(later)]).toEqual([50, "true"]);
    expect(await everything(house)).toEqual(before);
  });
});
