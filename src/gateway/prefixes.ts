/** The services behind the gateway. */
export const services = [
  "identity",
  "products",
  "orders",
  "provisioning",
  "billing",
  "notifications",
  "support",
  "platform",
  "reports",
] as const;
export type Service = (typeof services)[number];

/** The rate zones, each counted by client address: a rate, and how many requests may come at once beyond it. */
export const zones = {
  auth_login: { perSecond: 5, burst: 3 },
  auth_register: { perSecond: 2, burst: 2 },
  api_general: { perSecond: 30, burst: 20 },
} as const;
export type Zone = keyof typeof zones;

/** Where a request goes, and what it is counted by. */
export interface Place {
  readonly zone: Zone | null;
  /** The service that counts it too; null for what no service throttles. */
  readonly throttledBy: Service | null;
}

interface Prefix extends Place {
  readonly prefix: string;
  readonly method?: "POST";
}

const route = (prefix: string, service: Service, zone: Zone | null = "api_general"): Prefix => ({
  prefix,
  zone,
  throttledBy: service,
});
const uncounted = (prefix: string, zone: Zone | null = null): Prefix => ({ prefix, zone, throttledBy: null });

/** The gateway's table; the first that fits counts. A path below `/api/v1` is looked up as its alias below `/api`. */
const prefixes: readonly Prefix[] = [
  uncounted("/health"),
  uncounted("/api/health"),
  uncounted("/api/ready"),
  uncounted("/api/docs", "api_general"),
  { ...route("/api/identity/auth/login", "identity", "auth_login"), method: "POST" },
  { ...route("/api/identity/auth/register", "identity", "auth_register"), method: "POST" },
  route("/api/identity", "identity"),
  route("/api/products", "products"),
  route("/api/pricing-plans", "products"),
  route("/api/orders", "orders"),
  route("/api/provisioning", "provisioning"),
  route("/v1/provisioning", "provisioning"),
  route("/api/approvals", "provisioning"),
  route("/api/clusters", "provisioning"),
  route("/api/dns", "provisioning"),
  route("/api/quotas", "provisioning"),
  route("/api/webhooks", "provisioning"),
  uncounted("/api/billing/webhooks"),
  route("/api/billing", "billing"),
  route("/api/notifications", "notifications"),
  route("/api/templates", "notifications"),
  uncounted("/ws/notifications"),
  route("/api/support", "support"),
  route("/api/platform", "platform"),
  route("/api/reports", "reports"),
  uncounted("/api", "api_general"),
];

const elsewhere: Place = { zone: null, throttledBy: null };

/** Finds the place of a request by its method and path. */
export function placeOf(method: string, path: string): Place {
  const plain = path.startsWith("/api/v1/") ? `/api${path.slice(7)}` : path;
  for (const entry of prefixes) {
    const { prefix } = entry;
    if (!plain.startsWith(prefix)) continue;
    const next = plain[prefix.length];
    if ((next === undefined || next === "/") && (entry.method ?? method) === method) return entry;
  }
  return elsewhere;
}
