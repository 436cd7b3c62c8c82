import { expect, test } from "bun:test";
import { createGateway } from "../../src/gateway/gateway.ts";
import { listen } from "../../src/gateway/listen.ts";
import { createWorld } from "../../src/world.ts";
import { ownConfig } from "../config.ts";
import { houseOf } from "../house.ts";
import { expectProblem } from "../http/answers.ts";

test("an answer that fails while it is sent is a problem like any other, and tells nothing of the program", async () => {
  const config = { ...ownConfig(), LOG_LEVEL: "error" as const };
  const world = createWorld(config);
  const logged: unknown[] = [];
  const gateway = createGateway(
    { config, world: { ...world, log: { ...world.log, error: (...line) => void logged.push(line) } } },
    () => new Response(Bun.file("/nowhere/secret-file")),
  );
  const server = listen(gateway, { port: 0, alone: true });
  const { call } = houseOf({ landfall: { world }, url: `http://localhost:${server.port}` } as never);
  const answer = await call("GET", "/api/docs/assets/lost.js");
  expectProblem(answer, "internal");
  expect(JSON.stringify(answer.body)).not.toMatch(/secret-file|ENOENT|stack/);
  expect(logged).toHaveLength(1);
  await server.stop();
  await world.close();
});
