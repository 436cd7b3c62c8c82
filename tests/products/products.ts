import { product } from "../../actors/products/product.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import type { Answer, House, Person } from "../house.ts";
import { newSku } from "./products.endpoints.ts";

/* Products as the tests need them. */

export const path = "/api/products";
/** The id of no product. */
export const unknown = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";

/** The smallest body of a new product, with a sku that no other has. */
export const newProduct = (more: object = {}) => ({
  sku: newSku(),
  name: "Standard VM 4",
  category: "compute",
  monthlyPrice: 24.9,
  ...more,
});

/** What a product has that was made of the smallest body. */
export const defaults = {
  ...{ description: null, status: "draft", specs: {}, hourlyPrice: null, unitPrice: null },
  ...{ currency: "USD", annualDiscount: 0, tier: null, features: [], isPopular: false },
  ...{ sortOrder: 0, ctaText: null, ctaAction: null },
};

const oddText = `Größe "XL" <b>&amp;</b> 'n' 100 % \\ / 日本語 👩‍🚀 e\u0301 \u202e \u2028`;

/** A value for each field, other than its default. */
export const full = {
  ...{ name: oddText, description: `${oddText}\r\n\t `, category: "gpu-servers-2", status: "paused" },
  specs: { resourceType: "VM", vcpu: "4", [oddText]: oddText, " ": "", "a/b~c": " " },
  ...{ monthlyPrice: 1234.5, hourlyPrice: 0.000123, unitPrice: 0.01, currency: "JPY" },
  ...{ annualDiscount: 12.25, tier: "enterprise", features: ["IPv6", oddText, "IPv6"], isPopular: true },
  ...{ sortOrder: -7, ctaText: "<script>", ctaAction: "javascript:alert(1)" },
};

export const create = (person: Person, more: object = {}, headers: Record<string, string> = {}) =>
  person.call("POST", path, newProduct(more), headers);
export const get = (person: Person, id: string) => person.call("GET", `${path}/${id}`);
export const put = (person: Person, id: string, body: object, headers: Record<string, string> = {}) =>
  person.call("PUT", `${path}/${id}`, body, headers);
export const remove = (person: Person, id: string, headers: Record<string, string> = {}) =>
  person.call("DELETE", `${path}/${id}`, undefined, headers);
export const historyOf = (person: Person, id: string, query = "") =>
  person.call("GET", `${path}/${id}/history${query}`);

/** A new product; throws when it is refused. */
export async function make(person: Person, more: object = {}): Promise<any> {
  const { status, body, data } = await create(person, more);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return data;
}

/** A category that no other test uses. */
export const newCategory = () => `c${newSku().toLowerCase()}`;

/** A caller with an API key of a person's tenant. */
export async function withApiKey(house: House, person: Person, ...scopes: string[]): Promise<Person> {
  const body = { name: "catalogue", kind: "tenant", scopes };
  const { data } = await person.call("POST", "/api/identity/api-keys", body);
  return {
    ...{ token: "", id: data.id, tenantId: person.tenantId },
    call: (method, path, body, headers) =>
      house.call(method, path, body, { "X-API-Key": data.key, ...headers }),
  };
}

export const idsOf = ({ data }: Answer): string[] => data.map(({ id }: any) => id);
export const versionTag = (version: number) => ({ "If-Match": `"${version}"` });

/** What the commit of an order does to the product it names. */
export const noteOrder = ({ program }: House, id: string) =>
  program.landfall.mailbox.send(product["note-order"], { id, input: {}, origin: ordering });
/** Whose doing that is. */
export const ordering = originOf("orders", { requestId: "order-1", correlationId: "order-1" });
