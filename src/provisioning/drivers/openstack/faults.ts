import { DriverError } from "../driver-error.ts";

/** An answer that refuses, by its HTTP status. */
export class Refused extends DriverError {
  constructor(
    readonly status: number,
    code: string,
    message: string,
    said = "",
  ) {
    super(code, message, causedBy(said));
  }
}

export const isRefused = (error: unknown, status: number): error is Refused =>
  error instanceof Refused && error.status === status;

interface Rule {
  /** Any status where it is left out; an infrastructure's report on a machine has none. */
  status?: readonly number[];
  /** What its text says; anything where it is left out. */
  says?: RegExp;
  code: string;
  /** All that the tenant reads: what the infrastructure says may name hosts and what belongs to others. */
  sentence: string;
}

/** What the services' refusals and reports mean; the first that fits. */
const rules: readonly Rule[] = [
  {
    status: [401],
    code: "AUTHENTICATION_FAILED",
    sentence: "The cluster does not accept its credentials.",
  },
  {
    says: /quota|limit exceeded|maximum number of .+ exceeded/i,
    code: "QUOTA_EXCEEDED",
    sentence: "The quota on the cluster does not allow it.",
  },
  { status: [413], code: "QUOTA_EXCEEDED", sentence: "The quota on the cluster does not allow it." },
  { status: [403], code: "FORBIDDEN", sentence: "The cluster does not allow it." },
  { status: [406], code: "UNSUPPORTED_VERSION", sentence: "The service is too old for this driver." },
  {
    says: /no valid host|no (valid )?weighed backends|exhausted all hosts|insufficient .*resources|not enough hosts/i,
    code: "NO_CAPACITY",
    sentence: "The cluster has no room for it.",
  },
  {
    says: /no more ip addresses|no fixed ip|ip ?address ?generation/i,
    code: "NO_ADDRESS",
    sentence: "The network has no free address.",
  },
  {
    says: /too small for (the )?requested image/i,
    code: "NO_FLAVOR",
    sentence: "The machine is too small for its image.",
  },
  { status: [400, 404, 409], says: /flavor/i, code: "NO_FLAVOR", sentence: "The flavor can't be used." },
  {
    says: /image.*(not|n't) ?(be )?(found|active)|not find requested image/i,
    code: "IMAGE_NOT_FOUND",
    sentence: "The image can't be used.",
  },
  {
    says: /multiple possible networks/i,
    code: "NETWORK_REQUIRED",
    sentence: "A networkId must be given.",
  },
  {
    says: /external network .+ is not reachable|not a valid external network/i,
    code: "NETWORK_NOT_REACHABLE",
    sentence: "The floating address can't reach the machine's network.",
  },
  {
    status: [400, 404],
    says: /network .+ (could )?not (be )?found/i,
    code: "NETWORK_NOT_FOUND",
    sentence: "The network does not exist.",
  },
  { says: /volume type/i, code: "VOLUME_TYPE_NOT_FOUND", sentence: "The volume type does not exist." },
  { says: /keypair data/i, code: "INVALID_SSH_KEY", sentence: "The first SSH key is not valid." },
  { status: [409], says: /in use|inuse/i, code: "IN_USE", sentence: "It is still in use." },
  { status: [400, 422], code: "INVALID_REQUEST", sentence: "The cluster takes the order for invalid." },
  { status: [404], code: "NOT_FOUND", sentence: "The cluster has no such thing." },
  { status: [409], code: "CONFLICT", sentence: "The cluster can't do it now." },
];

const ruleFor = (text: string, status?: number) =>
  rules.find(
    (rule) =>
      (rule.status === undefined || (status !== undefined && rule.status.includes(status))) &&
      (rule.says?.test(text) ?? true),
  );

/** What an answer means that is no success. */
export function refusal(service: string, status: number, body: unknown): Refused {
  const text = textOf(body);
  const { code, sentence } = ruleFor(text, status) ?? {
    code: "UNEXPECTED_ANSWER",
    sentence: `The ${service} service answered ${status}.`,
  };
  return new Refused(status, code, sentence, text);
}

/** What it means that a machine is in an error, by what the infrastructure says of it; else `code` and `sentence`. */
export function reported(said: string, code: string, sentence: string): DriverError {
  const text = said.slice(0, maxTextLength);
  const rule = ruleFor(text) ?? { code, sentence };
  return new DriverError(rule.code, rule.sentence, causedBy(text));
}

/** Of a foreign text no more is looked at: it may be made so that looking takes for ever. */
const maxTextLength = 2000;
const maxSaidLength = 300;

/** What the infrastructure said, in one line, for the log and for operators. */
function causedBy(text: string): ErrorOptions {
  const said = text
    // A schema's complaint repeats what was sent, user data too.
    .replace(/ Value: .*/s, "")
    .replace(/<[^>]*>|[\p{Cc}\p{Cf}]/gu, " ")
    .replace(/\w+:\/\/\S+|[\w+/=-]{40,}/g, "…")
    .replace(/\s+/g, " ")
    .trim();
  if (!said) return {};
  return { cause: new Error(said.length > maxSaidLength ? `${said.slice(0, maxSaidLength)}…` : said) };
}

/** Nova and Cinder answer `{<kind>: {code, message}}`, Neutron `{NeutronError: {type, message}}`, Keystone `{error: {message}}`. */
function textOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  for (const inner of Object.values(body)) {
    const said = typeof inner === "object" && inner !== null && "message" in inner ? inner.message : inner;
    if (typeof said === "string") return said.slice(0, maxTextLength);
  }
  return "";
}
