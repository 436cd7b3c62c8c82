import { DeadLetterEnvelope, Envelope } from "../../streams/envelope.ts";
import type { GroupDeclaration } from "../../streams/group.ts";
import { retryDelaysMs, streamOf, type Topic, topics } from "../../streams/topics.ts";
import { exampleOf } from "./examples.ts";
import { createSchemas, type JsonSchema, type Schemas } from "./schemas.ts";

const description = `What Landfall tells its services on the bus: one Redis stream for each topic.

An entry has the id \`<seq>-0\`, from one counter over all topics, and one field \`envelope\`, which holds the message
as JSON. A consumer group is named after the service that listens. The same event may come more than once, so a
consumer goes by \`eventId\`; the order is not promised across retries, so it goes by \`sequence\` or looks at the
record. A message that fails is tried again after the delays of its topic (\`x-retry\`); what still fails goes to the
topic's dead letters, \`<topic>.dlq\`, and holds nobody up.`;

const domains = {
  order: "What becomes of an order.",
  provisioning: "A resource on its way through the four steps, and its life after.",
  billing: "Invoices, payments and refunds.",
  identity: "Accounts and their credentials.",
  notification: "Messages to people.",
  support: "Tickets and comments.",
} as const;

/** All topics with their messages, and who hears them (AsyncAPI 3.0). */
export function asyncApi(platform: string, groups: readonly GroupDeclaration[]): JsonSchema {
  const schemas = createSchemas("draft-07");
  const names = Object.keys(topics) as Topic[];
  const messages = names.flatMap((topic) => {
    const stream = streamOf(platform, topic);
    return [
      [topic, messageOf(schemas, stream, topic)],
      [`${topic}.dlq`, deadLetterOf(schemas, stream, topic)],
    ];
  });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Landfall events",
      version: "1",
      description,
      contact: { name: "The operators of this Landfall" },
      tags: Object.entries(domains).map(([name, about]) => ({ name, description: about })),
    },
    defaultContentType: "application/json",
    servers: {
      bus: { host: "localhost:6379", protocol: "redis", description: "Redis 7, as `REDIS_URL` names it." },
    },
    channels: Object.fromEntries(names.flatMap((topic) => channelsOf(platform, topic))),
    operations: Object.fromEntries(groups.flatMap(operationsOf)),
    components: { messages: Object.fromEntries(messages), schemas: schemas.named },
  };
}

/** The stream of a topic, and that of its dead letters. */
function channelsOf(platform: string, topic: Topic): [string, JsonSchema][] {
  const stream = streamOf(platform, topic);
  const { retry } = topics[topic];
  const delays = retryDelaysMs[retry].map((delay) => delay / 1000).join(", ");
  const tags = [{ name: topic.split(".")[0] }];
  const channel = (name: string, address: string, about: string, more: object) =>
    [
      name,
      {
        address,
        description: about,
        tags,
        messages: { [name]: { $ref: `#/components/messages/${name}` } },
        ...more,
      },
    ] as [string, JsonSchema];
  return [
    channel(topic, stream, `Retry class ${words(retry)}: tried again after ${delays} s.`, {
      "x-retry": { class: retry, delaysMs: retryDelaysMs[retry], deadLetters: `${stream}.dlq` },
    }),
    channel(`${topic}.dlq`, `${stream}.dlq`, `What of \`${stream}\` failed after its last retry.`, {}),
  ];
}

const words = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function messageOf(schemas: Schemas, stream: string, topic: Topic): JsonSchema {
  const data = schemas.of(topics[topic].data);
  const envelope = schemas.of(Envelope);
  const payload = { allOf: [envelope, { type: "object", properties: { type: { const: stream }, data } }] };
  const example = {
    ...(exampleOf(schemas, envelope, true) as object),
    type: stream,
    source: topic.split(".")[0],
    data: exampleOf(schemas, data, false),
  };
  return { ...about(stream, topic), payload, examples: [{ name: topic, payload: example }] };
}

function deadLetterOf(schemas: Schemas, stream: string, topic: Topic): JsonSchema {
  const payload = schemas.of(DeadLetterEnvelope);
  const example = { ...(exampleOf(schemas, payload, true) as object), type: stream };
  return {
    ...about(`${stream}.dlq`, `${topic}.dlq`),
    payload,
    examples: [{ name: `${topic}.dlq`, payload: example }],
  };
}

const about = (title: string, name: string) => ({
  name,
  title,
  contentType: "application/json",
  correlationId: { location: "$message.payload#/correlationId" },
});

/** What a consumer group receives: one operation for each of its topics. */
const operationsOf = ({ name, topics: heard }: GroupDeclaration): [string, JsonSchema][] =>
  heard.map((topic) => [
    `${name}.${topic}`,
    {
      action: "receive",
      title: `${name} hears ${topic}`,
      description: `The consumer group \`${name}\`.`,
      channel: { $ref: `#/channels/${topic}` },
      messages: [{ $ref: `#/channels/${topic}/messages/${topic}` }],
    },
  ]);
