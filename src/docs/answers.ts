import * as v from "valibot";
import { errorCodes } from "../../schema/errors.ts";
import { exampleId, integer, Timestamp } from "../../schema/values.ts";

/* What stands around every answer, as the idiom writes it. */

const meta = {
  request_id: v.pipe(
    v.string(),
    v.description("Names the request in the log and in the audit."),
    v.examples([exampleId]),
  ),
  timestamp: Timestamp,
};
const count = (example: number) => v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.examples([example]));

export const Meta = v.pipe(v.object(meta), v.title("Meta"));

export const ListMeta = v.pipe(
  v.object({
    ...meta,
    total: v.pipe(count(1), v.description("Items on all pages.")),
    page: v.pipe(count(1), v.description("This page, from 1.")),
    per_page: v.pipe(count(20), v.description("Items on a page: the `limit`.")),
    has_more: v.boolean(),
    next_cursor: v.pipe(
      v.nullable(v.string()),
      v.description("The `cursor` of the next page; null at the end."),
    ),
  }),
  v.title("ListMeta"),
);

const FieldError = v.pipe(
  v.object({
    pointer: v.pipe(
      v.string(),
      v.description("A JSON pointer into the body, or `query/<name>`, `path/<name>`, `header/<name>`."),
    ),
    message: v.string(),
  }),
  v.title("FieldError"),
);

/** RFC 9457. A refusal may have members of its own beside these. */
export const Problem = v.pipe(
  v.object({
    type: v.pipe(v.string(), v.description("A URN made of the code.")),
    title: v.string(),
    status: integer(400, 599),
    detail: v.pipe(v.string(), v.description("One plain sentence.")),
    instance: v.pipe(v.string(), v.description("The request path.")),
    code: v.pipe(v.picklist(Object.keys(errorCodes)), v.description("What a program should look at.")),
    meta: Meta,
    errors: v.optional(
      v.pipe(v.array(FieldError), v.description("`validation_failed`: every place that is not valid.")),
    ),
    from: v.optional(v.pipe(v.string(), v.description("`invalid_transition`: the present status."))),
    command: v.optional(v.pipe(v.string(), v.description("`invalid_transition`: what was asked for."))),
    allowed: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description("`invalid_transition`: the commands that the present status takes."),
      ),
    ),
    dimension: v.optional(v.pipe(v.string(), v.description("`quota_exceeded`: the limit's name."))),
    limit: v.optional(v.pipe(v.number(), v.description("`quota_exceeded`: how much there may be."))),
    used: v.optional(v.pipe(v.number(), v.description("`quota_exceeded`: how much there is."))),
    requested: v.optional(
      v.pipe(v.number(), v.description("`quota_exceeded`: how much more was asked for.")),
    ),
    count: v.optional(v.pipe(v.number(), v.description("`in_use`: by how many."))),
  }),
  v.title("Problem"),
  v.description("A refusal (RFC 9457). It repeats nothing of what was sent."),
);
