import type { Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import type { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

/** The services that are used, by the types that catalogues know them under, and the version of their addresses. */
const kinds = {
  compute: { types: ["compute"], path: "v2.1" },
  network: { types: ["network"], path: "v2.0" },
  volume: { types: ["volumev3", "block-storage"], path: "v3" },
  image: { types: ["image"], path: "v2" },
  /** Nova's own list of images, for catalogues without Glance. */
  imageProxy: { types: ["compute"], path: "v2.1" },
} as const;
export type ServiceKind = keyof typeof kinds;

/** The address of a service in the cluster's region, without a slash at its end; null where the catalogue has none. */
export function endpointOf(
  { catalog, projectId }: Session,
  site: Site,
  settings: Settings,
  kind: ServiceKind,
): string | null {
  const { types, path } = kinds[kind];
  const region = settings.regionName ?? site.region;
  const endpoint = types
    .flatMap((type) => catalog.filter((service) => service.type === type))
    .flatMap(({ endpoints }) => endpoints)
    .find(
      (each) =>
        each.interface === settings.interface && (each.region_id === region || each.region === region),
    );
  if (!endpoint) return null;
  const root = endpoint.url.replace(/\/+$/, "");
  const versioned = /\/v\d+(\.\d+)?(\/|$)/.test(root) ? root : `${root}/${path}`;
  // Cinder wants the project in the path, which its address in the catalogue may leave to the caller.
  return kind === "volume" && versioned.endsWith("/v3") ? `${versioned}/${projectId}` : versioned;
}

export const missingService = (kind: ServiceKind): DriverError =>
  new DriverError(
    "SERVICE_MISSING",
    `The cluster's catalogue has no ${kind} service for its region and interface.`,
  );
