import * as v from "valibot";
import { object, Timestamp, textLike, Version } from "../values.ts";

/** What a field was before a change, and what it is since. */
const Change = v.object({ from: v.unknown(), to: v.unknown() });

export const ProductChange = v.pipe(
  object({
    at: Timestamp,
    actor: v.pipe(
      object({
        id: textLike("01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c"),
        kind: v.picklist(["user", "service", "system"]),
      }),
      v.title("Actor"),
    ),
    changes: v.pipe(
      v.record(v.string(), Change),
      v.description("By field; `from` is null where the product is new."),
      v.examples([{ monthlyPrice: { from: 24.9, to: 22.9 } }]),
    ),
    version: Version,
  }),
  v.title("ProductChange"),
);
export type ProductChange = v.InferOutput<typeof ProductChange>;
