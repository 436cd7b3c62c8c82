import { afterAll, beforeAll, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { auditOf, path, register } from "./clusters.ts";

/* Two programs on one database. */
let houses: House[];
let admins: Person[];
beforeAll(async () => {
  const first = await openHouse({ samples: false });
  houses = [first, await openHouse({ config: first.program.landfall.config, samples: false })];
  admins = await Promise.all(houses.map((house) => house.admin()));
});
afterAll(async () => {
  await houses[1]?.program.stop();
  await houses[0]?.close();
});

const admin = () => admins[0] as Person;
const get = async (id: string) => (await admin().call("GET", `${path}/${id}`)).data;
const make = (type: string, isDefault = true) => register(admin(), { type, isDefault });
const patch = async (id: string, body: object, person = admin()) =>
  (await person.call("PATCH", `${path}/${id}`, body)).data;
/** The ids of a type's defaults. */
const defaultsOf = async (type: string) =>
  (await admin().call("GET", `${path}?type=${type}&limit=100`)).data
    .filter(({ isDefault }: any) => isDefault)
    .map(({ id }: any) => id);

test("a new default takes the place of the old one of its type", async () => {
  const [first, other] = [await make("PROXMOX"), await make("VMWARE")];
  const second = await make("PROXMOX");
  expect(await defaultsOf("PROXMOX")).toEqual([second.id]);
  const deposed = await get(first.id);
  expect([deposed.isDefault, deposed.version]).toEqual([false, 2]);
  expect(await auditOf(houses[0] as House, first.id)).toEqual(["create", "create"]);
  expect(await get(other.id)).toEqual(other);

  const back = await patch(first.id, { isDefault: true });
  expect([back.isDefault, back.version]).toEqual([true, 3]);
  expect(await get(second.id)).toMatchObject({ isDefault: false, version: 2 });
  expect(await auditOf(houses[0] as House, second.id)).toEqual(["create", "update"]);
});

test("what is the default already stays as it is", async () => {
  const { id } = await make("KUBERNETES");
  const other = await make("KUBERNETES", false);
  expect((await patch(id, { isDefault: true })).version).toBe(1);
  expect(await get(other.id)).toEqual(other);
});

test("a type may do without a default", async () => {
  const { id } = await make("POWERDNS");
  await patch(id, { isDefault: false });
  expect(await defaultsOf("POWERDNS")).toEqual([]);
});

test("of many new defaults at once, in two programs, one is left", async () => {
  await make("MANUAL", false);
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      register(admins[i % 2] as Person, { type: "MANUAL", isDefault: true }),
    ),
  );
  expect(await defaultsOf("MANUAL")).toHaveLength(1);
  // Each but the last has stepped back once.
  const versions = await Promise.all(made.map(async ({ id }) => (await get(id)).version));
  expect(versions.sort()).toEqual([1, ...Array(11).fill(2)]);
});

test("of many that become the default at once, in two programs, one is left", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) ids.push((await make("SIMULATED", false)).id);
  await Promise.all(ids.map((id, i) => patch(id, { isDefault: true }, admins[i % 2])));
  expect(await defaultsOf("SIMULATED")).toHaveLength(1);
});
