import type { Access } from "../../schema/provisioning/request.ts";

const empty: Access = { ipAddress: null, hostname: null, endpoints: null, notes: null };

const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((entry) => typeof entry === "string");

/** The access details with what an output adds to them; members of another shape stay in the output alone. */
export function accessFrom(access: Access | null, output: Record<string, unknown> = {}): Access | null {
  const { ipAddress, hostname, endpoints, notes } = output;
  const found: Partial<Access> = {
    ...(typeof ipAddress === "string" ? { ipAddress } : {}),
    ...(typeof hostname === "string" ? { hostname } : {}),
    ...(isTextMap(endpoints) ? { endpoints: { ...access?.endpoints, ...endpoints } } : {}),
    ...(typeof notes === "string" ? { notes } : {}),
  };
  return Object.keys(found).length > 0 ? { ...(access ?? empty), ...found } : access;
}
