import { Elysia } from "elysia";
import * as v from "valibot";
import { product } from "../../actors/products/product.ts";
import { CreateProduct, DeletedProduct, Product, UpdateProduct } from "../../schema/products/product.ts";
import { ProductChange } from "../../schema/products/product-change.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import {
  changesOfProduct,
  findProduct,
  ListChanges,
  ListProducts,
  listProducts,
} from "./products.queries.ts";
import { productView } from "./products.views.ts";

const tag = "Products";
const read = { tag, may: "products.read" } as const;
const write = { tag, may: "products.write" } as const;

export const productRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/products" })
    .use(idiom(landfall))
    .post(
      "",
      ({ call, body }) => call.send(product.create, undefined, body, productView, 201),
      endpoint({
        id: "createProduct",
        ...write,
        summary: "Create a product",
        description: "It is a `draft` unless `status` says otherwise.",
        body: CreateProduct,
        answer: Product,
        statuses: [201],
        errors: ["already_exists"],
      }),
    )
    .get(
      "",
      ({ call, query }) => listProducts(world, call, query),
      endpoint({
        id: "listProducts",
        ...read,
        summary: "List products",
        description: "Customers see the `active` ones; asking for another status gives them an empty list.",
        query: ListProducts,
        answer: v.array(Product),
        list: true,
      }),
    )
    .get(
      "/:id",
      async ({ call, params }) => productView(await findProduct(world, call, params.id)),
      endpoint({
        id: "getProduct",
        ...read,
        summary: "Get a product by ID",
        answer: Product,
        errors: ["not_found"],
      }),
    )
    .put(
      "/:id",
      ({ call, params, body }) => call.send(product.update, params.id, body, productView),
      endpoint({
        id: "updateProduct",
        ...write,
        summary: "Update a product",
        description: "Changes only the fields given. What changes nothing leaves the version.",
        body: UpdateProduct,
        answer: Product,
        errors: ["not_found", "already_exists", "precondition_failed"],
      }),
    )
    .delete(
      "/:id",
      ({ call, params }) => call.send(product.delete, params.id, {}, deletedView),
      endpoint({
        id: "deleteProduct",
        ...write,
        summary: "Delete a product",
        description: "One that an order names is archived instead. The sku of a deleted one is free again.",
        answer: DeletedProduct,
        errors: ["not_found", "precondition_failed"],
      }),
    )
    .get(
      "/:id/history",
      ({ call, params, query }) => changesOfProduct(world, call, params.id, query),
      endpoint({
        id: "listProductHistory",
        tag,
        may: "products.history",
        summary: "Get the history of a product",
        description: "Every change of its price and of all else, the latest first.",
        query: ListChanges,
        answer: v.array(ProductChange),
        list: true,
        errors: ["not_found"],
      }),
    );
};

const deletedView = ({ id, ordered }: { id: string; ordered: boolean }): DeletedProduct =>
  ordered ? { id, deleted: false, archived: true } : { id, deleted: true };
