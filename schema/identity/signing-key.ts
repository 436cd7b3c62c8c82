import { json, mysqlTable } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { id, instant, longText } from "../columns.ts";
import { Id, textLike } from "../values.ts";

/** The ES256 keys that sign access tokens; the private half is sealed. */
export const signingKeys = mysqlTable("signing_keys", {
  /** The `kid`. */
  id: id().primaryKey(),
  publicJwk: json().$type<Record<string, string>>().notNull(),
  sealedPrivateKey: longText().notNull(),
  createdAt: instant().notNull(),
});

/** The public halves, as a JWK set (RFC 7517). */
export const PublicKeys = v.pipe(
  v.object({
    keys: v.array(
      v.object({
        kid: v.pipe(Id, v.description("The key's name, in the header of each token.")),
        kty: v.literal("EC"),
        crv: v.literal("P-256"),
        alg: v.literal("ES256"),
        use: v.literal("sig"),
        x: textLike("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
        y: textLike("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
      }),
    ),
  }),
  v.title("PublicKeys"),
);
