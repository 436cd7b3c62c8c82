import { alreadyExists, ServiceError } from "../../schema/errors.ts";
import { Unavailable, type World } from "../../schema/world.ts";
import { commitBatch, type Ending } from "./batch.ts";
import type { BatchConnection } from "./connection.ts";
import type { Unit } from "./mailbox.ts";

/** How often a batch runs again after each kind of fault; any other is tried once more where it is alone. */
const retriesAfter: Record<string, number> = {
  ER_LOCK_DEADLOCK: 20,
  ER_CHECKREAD: 20,
  ER_LOCK_WAIT_TIMEOUT: 2,
};

/** What a unit is told that meets a fault of SQL by itself. */
const refusals: Record<string, () => ServiceError> = {
  ER_DUP_ENTRY: alreadyExists,
  ER_NET_PACKET_TOO_LARGE: () =>
    new ServiceError("body_too_large", "The changes are too large for one commit."),
};

/**
 * Commits units and settles each. After a deadlock the batch runs again. After any other fault of SQL it runs
 * again in halves, down to the unit at fault, so that the rest is committed. That unit runs once more by itself:
 * what it met may be readable by now; if it still meets a duplicate key it is refused as `already_exists`.
 * While the database is away, or a record is held for too long, every unit is `unavailable`.
 */
export async function runBatch(
  world: World,
  connection: BatchConnection,
  units: readonly Unit[],
  faults: readonly string[] = [],
): Promise<void> {
  try {
    settle(units, await commitBatch(world, connection, units));
  } catch (error) {
    if (error instanceof Unavailable) return rejectAll(units, error);
    await connection.run(["ROLLBACK"]).catch(() => {});
    const code = sqlCode(error);
    const single = units.length === 1;
    const retried = faults.filter((fault) => fault === code).length;
    if (retried < (retriesAfter[code] ?? Number(single)))
      return runBatch(world, connection, units, [...faults, code]);
    if (code in retriesAfter)
      return rejectAll(units, new Unavailable("A record is held for too long.", { cause: error }));
    if (single) return rejectAll(units, refusals[code]?.() ?? error);
    const middle = units.length >> 1;
    await runBatch(world, connection, units.slice(0, middle));
    await runBatch(world, connection, units.slice(middle));
  }
}

/** The server's name for an error; drizzle keeps it in `cause`. */
function sqlCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code ?? "";
}

function settle(units: readonly Unit[], endings: readonly Ending[]): void {
  units.forEach((unit, i) => {
    const ending = endings[i] as Ending;
    if ("outcome" in ending) unit.resolve(ending.outcome);
    else unit.reject(ending.refusal);
  });
}

function rejectAll(units: readonly Unit[], error: unknown): void {
  for (const unit of units) unit.reject(error);
}
