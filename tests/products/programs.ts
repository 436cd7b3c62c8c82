import type { World } from "../../schema/world.ts";
import { openCatalogue } from "../../src/products/catalogue.ts";
import { startLandfall } from "../../src/start.ts";
import { type House, houseOf, type Person } from "../house.ts";

/* Further programs of an installation, and what they know of the products. */

/** Somebody at a new program on the same database. `await using` stops it. */
export async function elsewhere(house: House, person: Person) {
  const program = await startLandfall(house.program.landfall.config);
  const { call } = houseOf(program);
  return {
    ...person,
    call: ((method, path, body, headers) =>
      call(method, path, body, { Authorization: `Bearer ${person.token}`, ...headers })) as Person["call"],
    [Symbol.asyncDispose]: () => program.stop(),
  };
}
export type Elsewhere = Awaited<ReturnType<typeof elsewhere>>;

/** A catalogue alone. `await using` stops it. */
export function catalogueOf(world: World) {
  const catalogue = openCatalogue(world);
  return Object.assign(catalogue, { [Symbol.asyncDispose]: () => catalogue.stop() });
}
