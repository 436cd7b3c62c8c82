import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { createSchemas } from "../../src/docs/schemas.ts";

const Leaf = v.pipe(v.strictObject({ field: v.string() }), v.title("Leaf"));
type Tree = { all: Tree[] } | { field: string };
const Tree: v.GenericSchema<Tree> = v.pipe(
  v.union([v.strictObject({ all: v.array(v.lazy(() => Tree)) }), Leaf]),
  v.title("Tree"),
);
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const leaf = {
  type: "object",
  properties: { field: { type: "string" } },
  required: ["field"],
  additionalProperties: false,
};

describe("the schemas of a document", () => {
  test("stand once where they have a title, and by reference elsewhere", () => {
    const schemas = createSchemas("openapi-3.0");
    expect(schemas.of(Leaf)).toEqual(reference("Leaf"));
    expect(schemas.of(v.array(Leaf))).toEqual({ type: "array", items: reference("Leaf") });
    expect(schemas.named).toEqual({ Leaf: leaf });
  });

  test("may hold themselves", () => {
    const schemas = createSchemas("openapi-3.0");
    expect(schemas.of(v.object({ tree: Tree }))).toMatchObject({ properties: { tree: reference("Tree") } });
    expect(Object.keys(schemas.named).sort()).toEqual(["Leaf", "Tree"]);
    expect(schemas.named["Tree"]).toMatchObject({
      anyOf: [{ properties: { all: { items: reference("Tree") } } }, reference("Leaf")],
    });
  });

  test("can't share a title with another", () => {
    const schemas = createSchemas("openapi-3.0");
    schemas.of(Leaf);
    expect(() => schemas.of(v.pipe(v.object({ other: v.number() }), v.title("Leaf")))).toThrow("Leaf");
  });

  test("need a title where they hold themselves", () => {
    const Chain: v.GenericSchema = v.object({ next: v.optional(v.lazy(() => Chain)) });
    expect(() => createSchemas("openapi-3.0").of(Chain)).toThrow("title");
  });

  test("say in OpenAPI's own way what may be null, and in which case a value is one of some", () => {
    const schemas = createSchemas("openapi-3.0");
    const Kind = v.nullable(v.picklist(["a", "b"]));
    expect(schemas.of(Kind)).toEqual({ type: "string", enum: ["a", "b", null], nullable: true });
    expect(schemas.of(v.nullable(Leaf))).toEqual({ ...leaf, nullable: true });
    expect(schemas.of(v.literal(4))).toEqual({ type: "number", enum: [4] });
  });

  test("keep to JSON Schema elsewhere", () => {
    const schemas = createSchemas("draft-07");
    expect(schemas.of(v.nullable(Leaf))).toEqual({ anyOf: [reference("Leaf"), { type: "null" }] });
    expect(schemas.of(v.pipe(v.string(), v.examples(["a", "b"])))).toEqual({
      type: "string",
      examples: ["a", "b"],
    });
  });
});
