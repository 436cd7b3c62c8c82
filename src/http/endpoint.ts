import type { DocumentDecoration } from "elysia";
import * as v from "valibot";
import { type ErrorCode, type FieldError, ServiceError } from "../../schema/errors.ts";
import { type Permission, reach, within } from "../../schema/permissions.ts";
import type { Call } from "./call.ts";
import { answersOf, jsonSchemaOf, parametersOf } from "./openapi.ts";

type Schema = v.GenericSchema;

interface Declaration<Body, Query, Answer> {
  summary: string;
  description?: string;
  tag: string;
  /** A row of the permission table, or `anyone` for the few that need no token. */
  may: Permission | "anyone";
  body?: Body;
  query?: Query;
  /** The data inside the envelope. */
  answer: Answer;
  /** 201 for what was made, 202 for what goes on after the answer; the first is what is answered unless the route says otherwise. */
  statuses?: readonly (200 | 201 | 202)[];
  /** The answer is a list with paging. */
  list?: true;
  /** The refusals of its own, beside those that every endpoint has. */
  errors?: readonly ErrorCode[];
}

/** One endpoint as Elysia takes it: who may call it, what it takes and answers, and how it is documented. */
export function endpoint<
  Body extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Answer extends Schema = Schema,
>(declared: Declaration<Body, Query, Answer>) {
  const { summary, description, tag, may, body, query, answer, statuses = [200], errors = [] } = declared;
  const checked = checkedAnswer(answer);
  return {
    transform: [
      (context: { call: Call; body: unknown; query: unknown; set: { status?: unknown } }) => {
        const { call } = context;
        call.body = context.body;
        if (may !== "anyone") authorize(call, may);
        // Elysia splits and parses query values on its own; a schema wants them as they were sent.
        if (query) context.query = Object.fromEntries(new URL(call.request.url).searchParams);
        context.set.status = statuses[0];
        call.enveloped = true;
      },
    ],
    beforeHandle: [
      ({ call, body, query }: { call: Call; body: unknown; query: unknown }) => sameTenant(call, body, query),
    ],
    ...(body ? { parse: "json" as const } : {}),
    body: (body && checkedInput(body, "")) as Body,
    query: (query ? checkedInput(query, "query/") : undefined) as Query,
    response: Object.fromEntries(statuses.map((status) => [status, checked])) as { 200: Answer },
    detail: {
      summary,
      ...(description ? { description } : {}),
      tags: [tag],
      security: may === "anyone" ? [] : [{ bearer: [] }],
      parameters: query ? parametersOf(query) : [],
      responses: answersOf({ ...declared, statuses, answer, errors }),
    } as unknown as DocumentDecoration,
  };
}

function authorize(call: Call, permission: Permission): void {
  call.caller = call.authenticate();
  call.scope = reach(call.caller, permission);
}

/** Refuses a body or query that names a tenant which the caller does not reach. */
function sameTenant({ scope }: Call, ...places: unknown[]): void {
  for (const place of places) {
    const { tenantId } = (place ?? {}) as { tenantId?: unknown };
    if (typeof tenantId === "string" && !within(scope, tenantId)) {
      throw new ServiceError("tenant_mismatch", "The request names a tenant that is not yours.");
    }
  }
}

/** A valibot schema as Elysia and the API documentation both read it: JSON Schema in its own members, the check behind. */
function standard<S extends Schema>(schema: S, validate: (value: unknown) => unknown): object {
  const behind = {
    "~standard": {
      version: 1,
      vendor: "landfall",
      validate: (value: unknown) => ({ value: validate(value) }),
    },
  };
  return Object.assign(Object.create(behind), jsonSchemaOf(schema));
}

function checkedInput(schema: Schema, place: string): object {
  return standard(schema, (value) => {
    const result = v.safeParse(schema, value ?? undefined);
    if (result.success) return result.output;
    throw invalid(
      result.issues.map((issue) => ({ pointer: pointerTo(issue, place), message: messageOf(issue) })),
    );
  });
}

/** Says what is wanted and never what was sent. Messages of our own schemas are taken as they are. */
function messageOf({ message, expected, received }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "Is required.";
  if (!message.startsWith("Invalid ")) return message;
  return expected === "never" ? "Is not a known field." : `Must be ${expected ?? "valid"}.`;
}

function checkedAnswer(schema: Schema): object {
  return standard(schema, (value) => {
    const result = v.safeParse(schema, value);
    if (result.success) return value;
    throw new Error(
      `An answer does not fit its schema: ${result.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join("; ")}`,
    );
  });
}

/** A request that fails its schema, with every wrong place. */
export const invalid = (errors: FieldError[]) =>
  new ServiceError("validation_failed", "The request has fields that are not valid.", { errors });

function pointerTo(issue: v.BaseIssue<unknown>, place: string): string {
  const keys = (issue.path ?? []).map(({ key }) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"));
  return place ? place + keys.join("/") : keys.map((key) => `/${key}`).join("");
}
