import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DiagnosticSeverity, Parser } from "@asyncapi/parser";
import * as v from "valibot";
import { DeadLetterEnvelope, Envelope } from "../../streams/envelope.ts";
import { retryDelaysMs, topics } from "../../streams/topics.ts";
import { type House, openHouse } from "../house.ts";
import { expectGatewayHeaders } from "./answers.ts";
import { fittingOf } from "./fitting.ts";

let house: House;
let document: any;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  document = (await house.call("GET", "/api/docs/asyncapi.json")).body;
});
afterAll(() => house.close());

describe("GET /api/docs/asyncapi.json", () => {
  test("is a document of its own, for everyone", async () => {
    const answer = await house.call("GET", "/api/docs/asyncapi.json");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expectGatewayHeaders(answer);
  });

  test("is valid for AsyncAPI's own parser", async () => {
    const { document: read, diagnostics } = await new Parser().parse(JSON.stringify(document));
    const serious = diagnostics.filter(({ severity }) => severity <= DiagnosticSeverity.Warning);
    expect(serious.map(({ code, message, path }) => [code, message, path.join("/")])).toEqual([]);
    expect(read?.version()).toBe("3.0.0");
    expect(read?.channels().length).toBe(2 * 41);
  });

  test("names each topic's stream, how it is tried again, and where its dead letters go", () => {
    const { platform } = house.world;
    for (const [topic, { retry }] of Object.entries(topics)) {
      const stream = `${platform}.${topic}.v1`;
      expect(document.channels[topic]).toMatchObject({
        address: stream,
        "x-retry": { class: retry, delaysMs: retryDelaysMs[retry], deadLetters: `${stream}.dlq` },
      });
      expect(document.channels[`${topic}.dlq`].address).toBe(`${stream}.dlq`);
    }
  });

  test("has for each topic an example that the topic takes", () => {
    for (const [topic, { data }] of Object.entries(topics)) {
      const [{ payload }] = document.components.messages[topic].examples;
      expect(v.parse(Envelope, payload).type).toBe(document.channels[topic].address);
      v.parse(data, payload.data);
      const [dead] = document.components.messages[`${topic}.dlq`].examples;
      v.parse(DeadLetterEnvelope, dead.payload);
    }
  });

  test("tells what each consumer group hears", () => {
    expect(document.operations["provisioning.order.provisioning-started"]).toMatchObject({
      action: "receive",
      channel: { $ref: "#/channels/order.provisioning-started" },
    });
  });

  test("describes what is published", async () => {
    const customer = await house.signUp();
    const [event] = await house.events("identity.user-registered", customer.id, 1);
    expect(event.type).toBe(document.channels["identity.user-registered"].address);
    const fits = fittingOf(document);
    const place = ["components", "messages", "identity.user-registered", "payload"];
    expect(fits(event, ...place)).toBeNull();
    expect(fits({ ...event, type: "other" }, ...place)).not.toBeNull();
    expect(fits({ ...event, data: { ...event.data, email: 5 } }, ...place)).not.toBeNull();
  });
});
