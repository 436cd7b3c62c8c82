import { expect, test } from "bun:test";
import { createPool } from "mysql2/promise";
import { bounded } from "../../schema/deadline.ts";
import { isConnectionError } from "../../schema/world.ts";
import { mysqlOptions } from "../../src/world.ts";
import { ownConfig } from "../config.ts";

test("a query that is not answered in time fails as if the database were away, and others go on", async () => {
  const { database, ...server } = mysqlOptions(ownConfig().MYSQL_URL as string);
  const pool = bounded(createPool({ ...server, connectionLimit: 2 }), 100);
  const held = await pool.query("SELECT SLEEP(1)").catch((error) => error);
  expect(isConnectionError(held)).toBe(true);
  expect((await pool.query({ sql: "SELECT ? AS one" }, [1]))[0]).toEqual([{ one: 1 }] as never);
  await pool.end();
});
