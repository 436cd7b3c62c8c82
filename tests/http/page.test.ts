import { expect, test } from "bun:test";
import { start } from "../../src/docs/page.ts";

/** What the page's own script hands to Swagger UI for a document. */
async function shownOf(document: object): Promise<any> {
  const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => any;
  let shown: unknown;
  await new AsyncFunction("fetch", "SwaggerUIBundle", start)(
    async () => Response.json(document),
    (options: unknown) => {
      shown = options;
    },
  );
  return shown;
}

const parameters = [
  { name: "id", required: true, example: "1" },
  { name: "limit", example: "20" },
];
const document = { paths: { "/": { get: { parameters } } }, components: { parameters: {} } };

test("the page fills in what is required, and leaves out what may be", async () => {
  const { spec } = await shownOf(document);
  expect(spec.paths["/"].get.parameters).toEqual([parameters[0], { name: "limit" }]);
});

test("the page shows an example of NDJSON as it is sent, any other as Swagger UI does", async () => {
  const { plugins } = await shownOf(document);
  const fn = { getJsonSampleSchema: (...given: unknown[]) => JSON.stringify(given.at(-1)) };
  const sample = plugins[0]({ fn }).fn.getJsonSampleSchema;
  expect(sample({}, {}, "application/x-ndjson", '{"a":1}\n')).toBe('{"a":1}\n');
  expect(sample({}, {}, "application/json", { a: 1 })).toBe('{"a":1}');
});
