import { randomBytes } from "node:crypto";
import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";

const owned = ["id", "createdAt", "updatedAt", "version", "ordered", "tenantId"];

/** A sku that no product has. */
export const newSku = () => `T-${randomBytes(6).toString("hex")}`;

const newProduct = () => ({ sku: newSku(), name: "Standard VM 4", category: "compute", monthlyPrice: 24.9 });

const target = async ({ admin }: Scene) =>
  (await admin.call("POST", "/api/products", { ...newProduct(), status: "active" })).data.id as string;

/** Values that no product takes. */
const wrong = [
  ["/sku", ""],
  ["/sku", null],
  ["/sku", "two words"],
  ["/sku", "ü"],
  ["/sku", "x".repeat(65)],
  ["/name", ""],
  ["/name", [neverEchoed]],
  ["/name", neverEchoed.repeat(20)],
  ["/description", 5],
  ["/description", "x".repeat(10_001)],
  ["/category", "Compute"],
  ["/category", "-"],
  ["/category", `${"x".repeat(65)}`],
  ["/status", neverEchoed],
  ["/status", "ACTIVE"],
  ["/status", null],
  ["/specs", neverEchoed],
  ["/specs", ["vcpu"]],
  ["/specs", null],
  ["/monthlyPrice", "24.90"],
  ["/monthlyPrice", -0.01],
  ["/monthlyPrice", 24.901],
  ["/monthlyPrice", 1e-7],
  ["/monthlyPrice", 0.1 + 0.2],
  ["/monthlyPrice", 1_000_000_000],
  ["/monthlyPrice", null],
  ["/hourlyPrice", 0.0000001],
  ["/hourlyPrice", "0.1"],
  ["/unitPrice", 0.001],
  ["/currency", "usd"],
  ["/currency", "ABC"],
  ["/currency", ""],
  ["/annualDiscount", 100.01],
  ["/annualDiscount", -1],
  ["/annualDiscount", 10.001],
  ["/tier", "gold"],
  ["/features", neverEchoed],
  ["/features", null],
  ["/features", Array(101).fill("x")],
  ["/isPopular", "true"],
  ["/isPopular", 1],
  ["/sortOrder", 1.5],
  ["/sortOrder", "1"],
  ["/sortOrder", 1e10],
  ["/ctaText", "x".repeat(101)],
  ["/ctaAction", 5],
] as const;

export const productEndpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/api/products",
    may: "products.write",
    status: 201,
    body: newProduct,
    wrong: [
      ["/sku", undefined],
      ["/name", undefined],
      ["/category", undefined],
      ["/monthlyPrice", undefined],
      ...wrong,
    ],
    owned,
  },
  { method: "GET", path: "/api/products", may: "products.read", status: 200, list: true, foreign: "own" },
  {
    method: "GET",
    path: "/api/products/search",
    may: "products.read",
    status: 200,
    query: "q=standard",
    list: true,
    facets: true,
    foreign: "own",
  },
  {
    method: "GET",
    path: "/api/products/search/suggest",
    may: "products.read",
    status: 200,
    query: "q=standard",
    list: true,
    whole: true,
    foreign: "own",
  },
  {
    method: "GET",
    path: "/api/products/search/categories",
    may: "products.read",
    status: 200,
    list: true,
    whole: true,
    foreign: "own",
  },
  {
    method: "GET",
    path: "/api/pricing-plans",
    may: "anyone",
    status: 200,
    list: true,
    whole: true,
    cacheable: true,
  },
  { method: "GET", path: "/api/products/{id}", may: "products.read", status: 200, target, foreign: "own" },
  {
    method: "PUT",
    path: "/api/products/{id}",
    may: "products.write",
    status: 200,
    target,
    body: () => ({ name: "Standard VM 8" }),
    wrong,
    owned,
  },
  { method: "DELETE", path: "/api/products/{id}", may: "products.write", status: 200, target },
  {
    method: "GET",
    path: "/api/products/{id}/history",
    may: "products.history",
    status: 200,
    target,
    list: true,
  },
];
