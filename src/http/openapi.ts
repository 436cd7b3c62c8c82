import type { Declaration } from "./endpoint.ts";

/** What a route hands to the OpenAPI document: its own word for itself, read when somebody asks for the document. */
export const operationOf = (declared: Declaration) => ({ declared: () => declared });
