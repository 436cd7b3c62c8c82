import { createHash } from "node:crypto";
import { DriverError } from "../driver-error.ts";

/** Nova's limit, of the base64 text. */
const maxLength = 65_535;

/**
 * What a new machine is told at its first start, in base64. Nova takes one key pair a machine, so that further keys
 * go in by cloud-init: alone, or as a second part beside the tenant's own data (RFC 2046 multipart, as cloud-init
 * reads it). Undefined where there is nothing to say; a `DriverError` of `USER_DATA_TOO_LARGE`.
 */
export function userDataOf(own: string | undefined, furtherKeys: string[]): string | undefined {
  const text =
    furtherKeys.length === 0 ? own : own ? multipart(own, keysConfig(furtherKeys)) : keysConfig(furtherKeys);
  if (!text) return undefined;
  const encoded = Buffer.from(text).toString("base64");
  if (encoded.length <= maxLength) return encoded;
  throw new DriverError("USER_DATA_TOO_LARGE", "The user data and keys are too large: 48 KiB fit.");
}

/** A JSON text is one of YAML as well. */
const keysConfig = (keys: string[]) =>
  [
    "#cloud-config",
    "ssh_authorized_keys:",
    ...keys.map((key) => `  - ${JSON.stringify(key.trim())}`),
    "",
  ].join("\n");

function multipart(own: string, keys: string): string {
  const boundary = `landfall-${createHash("sha256").update(own).digest("hex").slice(0, 32)}`;
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "MIME-Version: 1.0",
    "",
    `--${boundary}`,
    // What is in parts already keeps its own head; of all else cloud-init tells by the first line what it is.
    isMultipart(own) ? own : part("text/plain", own),
    `--${boundary}`,
    // The keys that the tenant's own cloud-config names stay.
    part("text/cloud-config", keys, "X-Merge-Type: list(append)+dict(no_replace,recurse_list)+str()"),
    `--${boundary}--`,
    "",
  ].join("\n");
}

const isMultipart = (text: string) => /^(content-type:\s*multipart|mime-version:)/i.test(text);

const part = (type: string, text: string, ...heads: string[]) =>
  [
    `Content-Type: ${type}; charset="utf-8"`,
    "Content-Transfer-Encoding: base64",
    ...heads,
    "",
    Buffer.from(text).toString("base64"),
  ].join("\n");
