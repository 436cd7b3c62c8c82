import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { violations } from "./architecture.ts";

test("every arrow between the floors and rooms points the right way", () => {
  expect(violations(resolve(import.meta.dir, ".."))).toEqual([]);
});
