import { drizzle } from "drizzle-orm/mysql2";
import { migrate as applyMigrations } from "drizzle-orm/mysql2/migrator";
import { createConnection, type PoolOptions } from "mysql2/promise";

const folder = new URL("./migrations", import.meta.url).pathname;

/** Makes the database where it is missing and brings its tables up to date; one process at a time. Forward only. */
export async function migrate(mysql: PoolOptions, lockTimeoutSeconds = 60): Promise<void> {
  const { database, ...server } = mysql;
  const connection = await createConnection(server);
  try {
    const name = `\`${String(database).replaceAll("`", "")}\``;
    await connection.query(`CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    await connection.query(`USE ${name}`);
    await connection.query("SELECT GET_LOCK(CONCAT('landfall.migrate.', DATABASE()), ?)", [
      lockTimeoutSeconds,
    ]);
    await applyMigrations(drizzle(connection), { migrationsFolder: folder });
  } finally {
    await connection.end();
  }
}
