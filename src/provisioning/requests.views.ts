import type { Caller } from "../../schema/permissions.ts";
import type { RequestState } from "../../schema/provisioning/request.ts";
import type { ProvisioningRequest } from "../../schema/provisioning/request-bodies.ts";
import type { AuditEntry, auditEntries } from "../../schema/runtime/audit-entry.ts";
import type { Vault } from "../../schema/world.ts";
import { recordView } from "../http/record-view.ts";

/** A request as it is answered, without its credentials. */
export function requestView(state: RequestState): ProvisioningRequest {
  const {
    clusterType,
    sealedCredentials,
    settledStatus,
    leftovers,
    reserved,
    approvalId,
    startsWhenApproved,
    ...shown
  } = state;
  return recordView(shown);
}

/** A request with its credentials, for those who may see them: users of its tenant, ADMIN and OPS. */
export function requestWithCredentials(
  state: RequestState,
  caller: Caller,
  vault: Vault,
): ProvisioningRequest {
  const view = requestView(state);
  const permitted =
    caller.kind === "user" &&
    (caller.tenantId === state.tenantId || caller.roles.some((role) => role === "ADMIN" || role === "OPS"));
  if (!permitted || !(view.access || state.sealedCredentials)) return view;
  const parts = state.sealedCredentials?.map(
    (sealed) => JSON.parse(vault.open(sealed)) as Record<string, string>,
  );
  const credentials = parts ? Object.assign({}, ...parts) : null;
  const none = { ipAddress: null, hostname: null, endpoints: null, notes: null };
  return { ...view, access: { ...(view.access ?? none), credentials } };
}

/** Takes the credentials out of access details and seals them. */
export function sealCredentials<T extends { credentials?: unknown }>(
  vault: Vault,
  { credentials, ...rest }: T,
) {
  return credentials === undefined
    ? rest
    : { ...rest, sealedCredentials: vault.seal(JSON.stringify(credentials)) };
}

/** Takes the credentials out of a step's output and seals them. */
export function sealOutput(vault: Vault, { output }: { output?: Record<string, unknown> }) {
  const { sealedCredentials, ...rest } = sealCredentials(vault, output ?? {}) as {
    sealedCredentials?: string;
  };
  return { ...(output ? { output: rest } : {}), ...(sealedCredentials ? { sealedCredentials } : {}) };
}

export const auditView = (row: typeof auditEntries.$inferSelect): AuditEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  actor: { id: row.actorId, kind: row.actorKind },
  command: row.command,
  from: row.from,
  to: row.to,
  step: row.step,
  detail: row.detail,
  requestId: row.requestId,
  correlationId: row.correlationId,
  version: row.version,
});
