import { randomUUIDv7 } from "bun";
import { createPool, type Pool, type PoolConnection, type PoolOptions } from "mysql2/promise";
import { sessionSettings } from "../../schema/world.ts";

/* The first limit: the rows that a command writes, one transaction a command, straight from a pool. */

const insertRequest = `INSERT INTO provisioning_requests (id, version, createdAt, updatedAt, tenantId, orderId, orderItemId,
  resourceType, specification, metadata, status, currentStep, steps, retryCount, maxRetries, leftovers, createdBy)
  VALUES (?, 1, NOW(3), NOW(3), ?, 'order-1', 'item-1', 'BACKUP', ?, '{}', ?, ?, ?, 0, 3, '[]', ?)`;
const insertAudit = `INSERT INTO audit_entries (recordId, version, id, at, actorId, actorKind, command, \`from\`, \`to\`, requestId, correlationId)
  VALUES (?, ?, ?, NOW(3), ?, 'user', ?, ?, ?, ?, ?)`;
const insertEvent = `INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES (?, ?, ?, NOW(3), ?)`;
const updateRequest = `UPDATE provisioning_requests SET version = version + 1, updatedAt = NOW(3), currentStep = ?, steps = ? WHERE id = ?`;

const steps = JSON.stringify(
  ["ALLOCATE", "CONFIGURE", "ACTIVATE", "VERIFY"].map((step) => ({
    step,
    status: "PENDING",
    attempt: 1,
    startedAt: null,
    finishedAt: null,
    output: null,
    error: null,
  })),
);
const specification = JSON.stringify({ sourceId: "volume-1", schedule: "0 3 * * *", retentionDays: 7 });
const envelope = JSON.stringify({
  ...{
    eventId: randomUUIDv7(),
    type: "landfall.provisioning.requested.v1",
    version: 1,
    occurredAt: new Date(),
  },
  ...{ source: "provisioning", correlationId: randomUUIDv7(), causationId: null, tenantId: randomUUIDv7() },
  ...{ subject: randomUUIDv7(), sequence: 1 },
  data: {
    ...{ requestId: randomUUIDv7(), orderId: "order-1", orderItemId: "item-1", resourceType: "BACKUP" },
    ...{ status: "PENDING", clusterId: null },
  },
});

/** A pool whose transactions write what `create` and `advance` write. */
export function openLimit(mysql: PoolOptions, size: number) {
  const pool = createPool({ ...mysql, connectionLimit: size });
  pool.pool.on("connection", (connection) => {
    for (const statement of sessionSettings) connection.query(statement);
  });
  const tenant = randomUUIDv7();
  return {
    async create(): Promise<string> {
      const id = randomUUIDv7();
      await transaction(pool, async (connection) => {
        await connection.execute(insertRequest, [
          id,
          tenant,
          specification,
          "PROVISIONING",
          "ALLOCATE",
          steps,
          tenant,
        ]);
        await told(connection, id, 1, "create", tenant);
      });
      return id;
    },
    async advance(id: string): Promise<void> {
      await transaction(pool, async (connection) => {
        await connection.execute("SELECT * FROM provisioning_requests WHERE id = ? FOR UPDATE", [id]);
        await connection.execute(updateRequest, ["CONFIGURE", steps, id]);
        await told(connection, id, Math.floor(Math.random() * 4e9), "advance", tenant);
      });
    },
    close: () => pool.end(),
  };
}

async function told(
  connection: PoolConnection,
  id: string,
  version: number,
  command: string,
  actor: string,
): Promise<void> {
  const requestId = randomUUIDv7();
  await connection.execute(insertAudit, [
    id,
    version,
    randomUUIDv7(),
    actor,
    command,
    "PROVISIONING",
    "PROVISIONING",
    requestId,
    requestId,
  ]);
  await connection.execute(insertEvent, [
    randomUUIDv7(),
    "landfall.provisioning.requested.v1",
    requestId,
    envelope,
  ]);
}

async function transaction(pool: Pool, work: (connection: PoolConnection) => Promise<void>): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await work(connection);
    await connection.commit();
  } finally {
    connection.release();
  }
}
