import { DriverError } from "../driver-error.ts";

const maxAnswerBytes = 16 * 1024 * 1024;

/** A service that can't be reached now, or does not answer: worth another try, unlike a `DriverError`. */
export class Away extends Error {
  override readonly name = "Away";
  constructor(
    message: string,
    /** When it may be asked again, as it says itself; null where it has been waited for long enough. */
    readonly retryAfterMs: number | null = 0,
  ) {
    super(message);
  }
}

/** One HTTP call. */
export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: unknown;
  /** The name of the service, for messages. */
  service: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The JSON of the answer, else null. */
  body: unknown;
}

/**
 * Makes one call and reads its answer, both within `timeoutMs`. `Away` where there is none, or one that says "not
 * now" (RFC 9110 15.6, RFC 6585 4); `signal`'s reason where that ended it.
 */
export async function exchange(call: Call, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(call.url, {
      method: call.method,
      headers: { Accept: "application/json", "Content-Type": "application/json", ...call.headers },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      redirect: "error",
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    const text = await readBounded(response, call);
    const { status, headers } = response;
    if (status === 429 || (status >= 500 && status !== 501))
      throw new Away(`The ${call.service} service answered ${status}.`, retryAfterMs(headers));
    return { status, headers, body: parse(text) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Away || error instanceof DriverError) throw error;
    if (late.aborted)
      throw new Away(`The ${call.service} service did not answer within ${timeoutMs / 1000} s.`, null);
    throw connectionFault(call, error);
  }
}

async function readBounded(response: Response, { service }: Call): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes)
      throw new DriverError("UNEXPECTED_ANSWER", `The ${service} service answered too much.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const longestWaitMs = 10_000;

/** Seconds alone are understood; a date is passed over. */
const retryAfterMs = (headers: Headers) =>
  Math.min(1000 * (Number(headers.get("retry-after")) || 0), longestWaitMs);

/** The runtime's own message may name hosts, so that its code alone is looked at. */
function connectionFault({ service }: Call, error: unknown): Error {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  if (/CERT|SIGNATURE|TLS|SSL/.test(code))
    return new DriverError("TLS_FAILED", `The certificate of the ${service} service is not trusted.`);
  if (/Redirect/.test(code))
    return new DriverError("UNEXPECTED_ANSWER", `The ${service} service redirects to another address.`);
  return new Away(`The ${service} service can't be reached.`);
}
