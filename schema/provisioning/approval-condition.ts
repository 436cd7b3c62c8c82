import * as v from "valibot";
import { integer, object, text } from "../values.ts";
import {
  type ApprovalCondition as Condition,
  type ConditionOperator,
  expiryActions,
  type ConditionNode as Node,
  operators,
} from "./approval-rule.ts";

/* What a rule's condition may be. The fields of a node say of what kind it is, and faults are told of that kind alone. */

/** A schema that is told of as `shown`, and holds each value against the one that is chosen for it. */
function choosing<S extends v.GenericSchema>(shown: S, choose: (value: unknown) => v.GenericSchema): S {
  const run: S["~run"] = (dataset, config) => choose(dataset.value)["~run"](dataset, config) as never;
  return { ...shown, "~run": run };
}

const plainFields = [
  "resourceType",
  "tenantId",
  "clusterId",
  "orderId",
  "estimatedMonthlyCost",
  "quotaUsagePercent",
] as const;
/** The fields that stand for themselves; all others name a member of the specification or metadata. */
export type PlainField = (typeof plainFields)[number];

const wantedField = `Must be ${plainFields.join(", ")}, specification.<name> or metadata.<name>.`;
const Field = v.pipe(
  v.union(
    [
      v.picklist(plainFields, wantedField),
      v.pipe(v.string(wantedField), v.regex(/^(specification|metadata)\.[\s\S]{1,200}$/u, wantedField)),
    ],
    wantedField,
  ),
  v.description(
    "`specification.<name>` and `metadata.<name>` look at the member of that name, one level deep. `estimatedMonthlyCost` is the number that the metadata has by this name, `quotaUsagePercent` that of the fullest dimension with the request in.",
  ),
  v.title("ConditionField"),
  v.examples(["specification.vcpu"]),
);

const shortText = text(0, 1000);
const finite = v.pipe(v.number("Must be a number."), v.finite("Must be a number."));
const truth = v.boolean("Must be true or false.");
const scalar = v.union([shortText, finite, truth], "Must be text, a number, true or false.");
const maxListed = 1000;
const wantedList = `Must be a list of 1 to ${maxListed} values.`;
const shortList = v.pipe(
  v.array(scalar, wantedList),
  v.minLength(1, wantedList),
  v.maxLength(maxListed, wantedList),
);
/** Of a list of millions no member is looked at. */
const list = choosing(shortList, (value) =>
  Array.isArray(value) && value.length > maxListed ? v.never(wantedList) : shortList,
);

/** What the operators compare with. */
const operands: readonly (readonly [operators: readonly ConditionOperator[], value: v.GenericSchema])[] = [
  [["eq", "neq", "contains"], scalar],
  [["gt", "gte", "lt", "lte"], finite],
  [["in", "nin"], list],
  [["startsWith", "endsWith"], shortText],
  [["exists"], truth],
];

const wantedOperator = `Must be ${operators.join(", ")}.`;
const leafNames = ["field", "operator", "value"];

/** A node with `more` fields: in a document any of its kinds, and for a value the kind that it means to be. */
function nodeWith(more: v.ObjectEntries): v.GenericSchema<Node> {
  const inner = v.lazy(() => ConditionNode);
  const nodes = v.array(inner, "Must be a list.");
  const branches = {
    all: object({ all: nodes, ...more }),
    any: object({ any: nodes, ...more }),
    not: object({ not: inner, ...more }),
  };
  const leafWith = (some: readonly ConditionOperator[], value: v.GenericSchema) =>
    object({ field: Field, operator: v.picklist(some, wantedOperator), value, ...more });
  const leaves = operands.map((operand) => leafWith(...operand));
  const unknownLeaf = leafWith(operators, v.unknown());
  const noKind = v.pipe(
    object(more),
    v.check(() => false, "Must have all, any, not, or field, operator and value."),
  );

  const kindOf = (node: unknown): v.GenericSchema => {
    const has = (name: string) => typeof node === "object" && node !== null && Object.hasOwn(node, name);
    for (const [name, branch] of Object.entries(branches)) if (has(name)) return branch;
    if (!leafNames.some(has)) return noKind;
    const { operator } = node as { operator: ConditionOperator };
    return leaves[operands.findIndex(([some]) => some.includes(operator))] ?? unknownLeaf;
  };
  const kinds: v.GenericSchema = v.union([...Object.values(branches), ...leaves]);
  return choosing(kinds as v.GenericSchema<Node>, kindOf);
}

const ConditionNode: v.GenericSchema<Node> = v.pipe(
  nodeWith({}),
  v.title("ConditionNode"),
  v.examples([{ field: "specification.vcpu", operator: "gte", value: 16 }]),
);

const maxDepth = 5;
const maxLeaves = 50;

type Path = readonly (string | number)[];

/** The nodes directly below a node, or what stands in their place. */
function* below(node: unknown): Generator<[Path, unknown]> {
  const { all, any, not } = Object(node) as Record<string, unknown>;
  for (const [name, nodes] of Object.entries({ all, any }))
    if (Array.isArray(nodes)) for (const [at, inner] of nodes.entries()) yield [[name, at], inner];
  if (not !== undefined) yield [["not"], not];
}

/** The first nodes that lie too deep, or the root of a tree with too many leaves; looks no further than that. */
function excesses(root: unknown): { path: Path; message: string }[] {
  const deep: Path[] = [];
  let leaves = 0;
  const visit = (node: unknown, path: Path) => {
    const tooDeep = path.filter((key) => typeof key === "string").length >= maxDepth;
    if (tooDeep) deep.push(path);
    let isLeaf = true;
    if (!tooDeep)
      for (const [step, inner] of below(node)) {
        isLeaf = false;
        visit(inner, [...path, ...step]);
        if (leaves > maxLeaves) return;
      }
    if (isLeaf) leaves++;
  };
  visit(root, []);
  if (leaves > maxLeaves) return [{ path: [], message: `Must have at most ${maxLeaves} leaves.` }];
  return deep.map((path) => ({ path, message: `Lies deeper than ${maxDepth} nodes.` }));
}

/** Makes a schema of trees look at their size before anything else: a body may hold a million nodes. */
function bounded<S extends v.GenericSchema>(schema: S): S {
  const run: S["~run"] = (dataset, config) => {
    const { value: input } = dataset;
    const found = excesses(input);
    for (const { path: keys, message } of found) {
      const path = keys.map((key) => ({ type: "unknown", origin: "value", input, key, value: undefined }));
      v._addIssue(schema as never, "size", dataset as never, config, { message, path: path as never });
    }
    return found.length > 0 ? (dataset as never) : schema["~run"](dataset, config);
  };
  return { ...schema, "~run": run };
}

const ApprovalTerms = v.pipe(
  object({
    minApprovals: v.optional(
      v.pipe(integer(1, 5), v.description("How many people must approve; default 1."), v.examples([2])),
    ),
    expiresInHours: v.optional(
      v.pipe(
        finite,
        v.gtValue(0, "Must be more than 0."),
        v.maxValue(87_600, "Must be 87600 or less."),
        v.description("More than 0, up to ten years, in fractions too; absent: the request waits for ever."),
        v.examples([48]),
      ),
    ),
    onExpiry: v.optional(
      v.pipe(
        v.picklist(expiryActions, "Must be APPROVE or REJECT."),
        v.description("What becomes of a request when time is up; default `REJECT`."),
      ),
    ),
  }),
  v.title("ApprovalTerms"),
);

/** Which requests a rule holds back, and what it then asks for. */
export const ApprovalCondition = v.pipe(
  bounded(nodeWith({ approval: v.optional(ApprovalTerms) })) as v.GenericSchema<Condition>,
  v.title("ApprovalCondition"),
  v.description(
    `A tree of comparisons: \`all\` (also of none) match, \`any\` (of none: no match) matches, \`not\` turns round. At most ${maxDepth} nodes deep, the leaf included, and ${maxLeaves} leaves; an empty list counts as one. Values are compared by their types: \`"2"\` is not \`2\`. \`contains\` looks for a part of a text or a member of a list. Where the field is missing or null, \`neq\`, \`nin\` and \`exists: false\` hold and nothing else does. \`approval\`, at the root alone, says how many must approve and by when.`,
  ),
  v.examples([
    {
      all: [
        { field: "resourceType", operator: "in", value: ["VM", "BARE_METAL"] },
        { field: "estimatedMonthlyCost", operator: "gt", value: 500 },
      ],
      approval: { minApprovals: 2, expiresInHours: 48, onExpiry: "REJECT" },
    },
  ]),
);
