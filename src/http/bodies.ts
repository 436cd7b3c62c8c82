import { ServiceError } from "../../schema/errors.ts";

/** Bytes that a request's body may have: 10 MiB. */
export const maxBodyBytes = 10_485_760;
const maxDepth = 64;

const mediaTypeOf = ({ headers }: Request) =>
  (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/**
 * Reads a JSON body (RFC 8259); none is null. Throws `body_too_large`, `unsupported_media_type` where it is
 * anything else, and `malformed_json` where it is not UTF-8 or `parseJson` can't read it.
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return null;
  if (mediaTypeOf(request) !== "application/json")
    throw new ServiceError("unsupported_media_type", "The body must be application/json.");
  return parseJson(decode(bytes));
}

/** A body that is not JSON. */
export interface TextBody {
  mediaType: string;
  text: string;
}

/** Reads a body of one of these media types; none is null. Throws `body_too_large`, `unsupported_media_type`, and `bad_request` where it is not UTF-8. */
export async function readText(request: Request, mediaTypes: readonly string[]): Promise<TextBody | null> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return null;
  const mediaType = mediaTypeOf(request);
  if (!mediaTypes.includes(mediaType))
    throw new ServiceError("unsupported_media_type", `The body must be ${mediaTypes.join(" or ")}.`);
  return { mediaType, text: decode(bytes, new ServiceError("bad_request", "The body is not UTF-8.")) };
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (length === null) return readChunks(request);
  if (Number(length) > maxBodyBytes) throw tooLarge();
  return request.bytes();
}

/** A body whose length is not told beforehand: read until it ends or has become too large. */
async function readChunks({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Half of a pair that stands for one character: it comes as an escape alone. */
const surrogate = /\\u[dD][89a-fA-F]/;

function decode(bytes: Uint8Array, refusal = notJson()): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refusal;
  }
}

const notJson = () => new ServiceError("malformed_json", "The body is not valid JSON.");

/** Throws `malformed_json` where a text is not JSON, nested deeper than 64, has text that is not Unicode, or a number that is too large. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (isDeeper(value, maxDepth))
    throw new ServiceError("malformed_json", `The body is nested deeper than ${maxDepth}.`);
  if (endless.test(text) && !allFinite(value))
    throw new ServiceError("malformed_json", "The body has a number that is too large.");
  if (surrogate.test(text) && !isUnicode(value))
    throw new ServiceError("malformed_json", "The body has text that is not Unicode.");
  return value;
}

/** Whether each text is one that UTF-8 can hold (RFC 7493); the database takes no other. */
function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  const named = Array.isArray(value) || Object.keys(value).every((name) => name.isWellFormed());
  return named && membersOf(value).every(isUnicode);
}

/** A number beyond 1.8e308 reads as infinite, and would be stored as null: it has a large exponent or very many digits. */
const endless = /\d[eE]\+?\d{3}|\d{309}/;

function allFinite(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || membersOf(value).every(allFinite);
}

/** Whether arrays and objects are nested in each other more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return membersOf(value).some((member) => isDeeper(member, levels - 1));
}

/** Of a list of millions, `Object.values` takes seconds. */
const membersOf = (value: object): unknown[] => (Array.isArray(value) ? value : Object.values(value));

/** Bun passes over what is left of the body: closing the connection could lose the answer, which the client has not read yet. */
const tooLarge = () => new ServiceError("body_too_large", "The body is larger than 10 MiB.");
