import type { DocumentDecoration } from "elysia";
import * as v from "valibot";
import { type ErrorCode, ServiceError } from "../../schema/errors.ts";
import { type Permission, reach, sight, within } from "../../schema/permissions.ts";
import { object } from "../../schema/values.ts";
import { readJson, readText } from "./bodies.ts";
import type { Call } from "./call.ts";
import { checkAnswer, checked, isLarge, queryOf, refuse } from "./checks.ts";

type Schema = v.GenericSchema;

/** What a route says of itself: who may call it, what it takes and answers. */
export interface Declaration<Body = Schema | undefined, Query = Schema | undefined, Answer = Schema> {
  /** The operation's name for generated clients, such as `startRequest`; never changed once it was published. */
  id: string;
  summary: string;
  description?: string;
  tag: string;
  /** Another endpoint has taken its place. */
  deprecated?: true;
  /** A row of the permission table, or `anyone` for the few that need no token. */
  may: Permission | "anyone";
  /** It takes an API key, which it checks itself, in place of a token. */
  apiKey?: true;
  body?: Body;
  /** It takes text of these media types in place of JSON, each shown with an example; its body is a `TextBody`. */
  takes?: Readonly<Record<string, string>>;
  query?: Query;
  /** The data inside the envelope. */
  answer: Answer;
  /** The answer is a document of its own, outside the envelope. */
  bare?: true;
  /** The answer is text of these media types, outside the envelope, each shown with an example. */
  gives?: Readonly<Record<string, string>>;
  /** 201 for what was made, 202 for what goes on after the answer, 304 for what the client has; the first is what is answered unless the route says otherwise. */
  statuses?: readonly (200 | 201 | 202 | 304)[];
  /** The answer is a list, and `meta` tells of the page. */
  list?: true;
  /** What `meta` tells beside that. */
  meta?: v.ObjectEntries;
  /** Header fields that its answers have beside those of all. */
  headers?: readonly string[];
  /** The refusals of its own, beside those that every endpoint has. */
  errors?: readonly ErrorCode[];
}

/**
 * One endpoint as Elysia takes it. Elysia knows the schemas by their types alone: they are checked here, so that
 * token and role come first, values are taken as they were sent, and nothing of them is told in a refusal.
 */
export function endpoint<
  Body extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Answer extends Schema = Schema,
>(declared: Declaration<Body, Query, Answer>) {
  const { may, body = noBody, query = noQuery, answer, statuses = [200] } = declared;
  return {
    async transform(context: { call: Call; set: { status?: unknown } }) {
      const { call } = context;
      call.body = await readBody(call.request, declared);
      if (may !== "anyone") await authorize(call, may);
      context.set.status = statuses[0];
      call.enveloped = !declared.bare && !declared.gives;
    },
    beforeHandle(context: { call: Call; body: unknown; query: unknown; params: unknown }) {
      const { call } = context;
      const [sent, asked] = [
        checked(body, call.body, "", isLarge(call)),
        checked(query, queryOf(call), "query/"),
      ];
      refuse([...sent.faults, ...asked.faults]);
      context.body = sent.output;
      context.query = asked.output;
      sameTenant(call, sent.output, asked.output, context.params);
    },
    afterHandle: ({ responseValue }: { responseValue: unknown }) => checkAnswer(answer, responseValue),
    // Read when somebody asks for the OpenAPI document.
    detail: { declared: () => ({ ...declared, statuses }) },
  } as unknown as {
    body: Body;
    query: Query;
    response: { 200: Answer };
    detail: DocumentDecoration;
  };
}

async function readBody(request: Request, { takes }: Pick<Declaration, "takes">): Promise<unknown> {
  if (request.method === "GET" || request.method === "HEAD") return null;
  return takes ? readText(request, Object.keys(takes)) : readJson(request);
}

/** What an endpoint takes that declares nothing. */
const noBody = v.optional(object({}), {});
const noQuery = object({});

async function authorize(call: Call, permission: Permission): Promise<void> {
  call.caller = await call.authenticate();
  call.scope = reach(call.caller, permission);
  call.sight = sight(call.caller, permission);
}

/** Refuses a body, query or path that names a tenant which the caller does not reach. */
function sameTenant({ scope }: Call, ...places: unknown[]): void {
  for (const place of places) {
    const { tenantId } = (place ?? {}) as { tenantId?: unknown };
    if (typeof tenantId === "string" && !within(scope, tenantId)) {
      throw new ServiceError("tenant_mismatch", "The request names a tenant that is not yours.");
    }
  }
}
