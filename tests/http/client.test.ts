import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import { adminEmail, type House, openHouse, password } from "../house.ts";

const root = resolve(import.meta.dir, "../..");

let house: House;
/** The program in `client/` beside the types that it is written against. */
let folder: string;
beforeAll(async () => {
  house = await openHouse();
  mkdirSync(join(root, ".data"), { recursive: true });
  folder = mkdtempSync(join(root, ".data/client-"));
  const { body } = await house.call("GET", "/api/docs/json");
  await Bun.write(join(folder, "landfall.ts"), astToString(await openapiTS(body)));
  cpSync(join(import.meta.dir, "client"), folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await house.close();
});

test("a client generated from the OpenAPI document compiles", async () => {
  await Bun.write(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...{ target: "ESNext", module: "Preserve", lib: ["ESNext", "DOM"], types: [] },
        ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
        ...{ allowImportingTsExtensions: true, skipLibCheck: true },
      },
    }),
  );
  const tsc = Bun.spawn([process.execPath, join(root, "node_modules/typescript-7/bin/tsc"), "-p", folder]);
  expect(await new Response(tsc.stdout).text()).toBe("");
  expect(await tsc.exited).toBe(0);
});

test("with it a customer brings a machine to life", async () => {
  const { runMachine } = await import(join(folder, "machine.ts"));
  const machine = await runMachine(
    house.program.url,
    { email: adminEmail, password },
    { email: "ada@example.com", password, name: "Ada" },
  );
  expect(machine).toMatchObject({ status: "ACTIVE", resourceType: "VM", error: null });
});
