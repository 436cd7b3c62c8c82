import { afterAll, beforeAll, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { type House, openHouse } from "../house.ts";

let house: House;
let document: string;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  document = JSON.stringify((await house.call("GET", "/api/docs/json")).body);
});
afterAll(() => house.close());

test("Redocly's recommended rules find nothing in the OpenAPI document", async () => {
  const config = await createConfig({
    extends: ["recommended"],
    // The paths are given: `/requests/order/{orderId}` stands beside `/requests/{id}/audit`, and wins.
    rules: { "no-ambiguous-paths": "off" },
  });
  const problems = await lintFromString({ source: document, config, absoluteRef: "/openapi.json" });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  expect(found).toEqual([]);
});

test("Spectral's rules for OpenAPI find nothing in it either", async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, "recommended"]], rules: {} });
  const problems = await spectral.run(eachRefusalOnce(JSON.parse(document)));
  expect(problems.map(({ code, message, path }) => [code, message, path.join("/")])).toEqual([]);
});

/** The document with each shared refusal at the first operation that has it alone: Spectral reads it anew at each. */
function eachRefusalOnce(document: any) {
  const seen = new Set<string>();
  for (const operation of Object.values<any>(document.paths).flatMap((path) => Object.values<any>(path))) {
    for (const [status, { $ref }] of Object.entries<any>(operation.responses)) {
      if (seen.has($ref)) delete operation.responses[status];
      if ($ref) seen.add($ref);
    }
  }
  return document;
}
