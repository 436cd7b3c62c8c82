import { count, eq } from "drizzle-orm";
import * as v from "valibot";
import { user } from "../actors/identity/user.ts";
import { product } from "../actors/products/product.ts";
import { cluster } from "../actors/provisioning/cluster.ts";
import { type Command, type Origin, originOf } from "../actors/runtime/actor.ts";
import { ServiceError } from "../schema/errors.ts";
import { users } from "../schema/identity/user.ts";
import { CreateProduct, products } from "../schema/products/product.ts";
import { clusters } from "../schema/provisioning/cluster.ts";
import { CreateCluster } from "../schema/provisioning/cluster-bodies.ts";
import { hashPassword } from "./identity/secrets.ts";
import type { Landfall } from "./landfall.ts";
import { sampleProducts } from "./products/samples.ts";

const origin = ({ world }: Landfall): Origin => {
  const requestId = world.newId();
  return originOf("setup", { requestId, correlationId: requestId });
};

/** The tenant `platform` with its first ADMIN, where the address has no account yet. Says whether it was made. */
export async function seedAdmin(landfall: Landfall, email: string, password: string): Promise<boolean> {
  const [found] = await landfall.world.db.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (found) return false;
  const passwordHash = await hashPassword(password);
  const input = {
    email,
    name: "Administrator",
    passwordHash,
    tenantName: "platform",
    roles: ["ADMIN" as const],
  };
  return landfall.mailbox.send(user.register, { input, origin: origin(landfall) }).then(
    () => true,
    (error) => {
      if (error instanceof ServiceError && error.code === "already_exists") return false;
      throw error;
    },
  );
}

/** A simulated default cluster, where there is no cluster yet. */
export async function seedCluster(landfall: Landfall): Promise<void> {
  const [found] = await landfall.world.db.select({ total: count() }).from(clusters);
  if (found?.total !== 0) return;
  const input = v.parse(CreateCluster, {
    name: "Simulated",
    type: "SIMULATED",
    region: "local",
    isDefault: true,
    supportedResourceTypes: ["VM", "VOLUME", "DATABASE", "NETWORK", "FLOATING_IP"],
  });
  await landfall.mailbox.send(cluster.create, { input, origin: origin(landfall) });
}

/** The sample catalogue, where there is no product yet. */
export async function seedCatalogue(landfall: Landfall): Promise<void> {
  const { db } = landfall.world;
  const [found] = await db.select({ total: count() }).from(products);
  if (found?.total !== 0) return;
  const orders = sampleProducts.map((sample, i) => ({
    command: product.create as Command,
    input: v.parse(CreateProduct, { ...sample, sortOrder: 10 * (i + 1) }),
    origin: origin(landfall),
  }));
  await landfall.mailbox.sendAll(orders);
}
