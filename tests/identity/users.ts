import { randomBytes } from "node:crypto";
import { type Person, password } from "../house.ts";

/* How one person makes and changes the users of another. */

export const path = "/api/identity/users";

/** An address that nobody has. */
export const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;

export const create = (by: Person, more: object = {}) =>
  by.call("POST", path, { email: newEmail(), name: "Grace", password, ...more });

export const update = (by: Person, id: string, body: object) => by.call("PATCH", `${path}/${id}`, body);
