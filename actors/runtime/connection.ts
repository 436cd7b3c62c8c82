import { drizzle, type MySql2Database } from "drizzle-orm/mysql2";
import { type Connection, createConnection } from "mysql2/promise";
import { bounded } from "../../schema/deadline.ts";
import { isConnectionError, sessionSettings, Unavailable, type World } from "../../schema/world.ts";

/** The connection of the batches: opened at first use, and again after it was lost. */
export interface BatchConnection {
  /** Statements in one round trip; one result for each. Those after a failed one are not carried out. */
  run(statements: readonly string[]): Promise<unknown[]>;
  /** For facts: reads inside the batch's transaction. */
  db(): MySql2Database;
  close(): Promise<void>;
}

/** The statement that a transaction begins with. */
export const beginning = "START TRANSACTION";

const settings = [
  ...sessionSettings,
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  "SET SESSION innodb_lock_wait_timeout = 5",
];

/** Longer than a batch waits for the records of three tables. */
const timeoutMs = 20_000;

/** Opens lazily; `run` throws `Unavailable` when the server can't be reached. */
export function openBatchConnection(world: World): BatchConnection {
  let open: { connection: Connection; db: MySql2Database } | null = null;

  async function connect() {
    const options = { ...world.mysql, multipleStatements: true, dateStrings: true };
    const connection = bounded(await createConnection(options), timeoutMs);
    await connection.query(settings.join(";"));
    connection.on("error", () => {
      if (open?.connection === connection) open = null;
    });
    open = { connection, db: drizzle(connection) };
    return open;
  }
  const lost = () => {
    throw new Unavailable("The connection was lost within a transaction.");
  };
  return {
    async run(statements) {
      // A transaction does not outlive its connection: the rest of it must not run on a new one.
      const begins = statements[0] === beginning;
      try {
        const { connection } = open ?? (begins ? await connect() : lost());
        const [results] = await connection.query(statements.join(";"));
        return statements.length === 1 ? [results] : (results as unknown[]);
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        open?.connection.destroy();
        open = null;
        throw new Unavailable("The database is away.", { cause: error });
      }
    },
    db() {
      if (!open) throw new Unavailable("The database is away.");
      return open.db;
    },
    async close() {
      await open?.connection.end().catch(() => {});
      open = null;
    },
  };
}
