import { type Asked, type Routes, reply } from "./answer.ts";
import { recorded } from "./recordings.ts";

/** Neutron: networks, subnets, floating addresses, and the ports of Nova's servers. */
export function neutron(servers: ReadonlyMap<string, unknown>) {
  const networks: any[] = [
    ...recorded("networks-external").body.networks,
    ...recorded("networks-by-id").body.networks,
  ];
  const subnets: any[] = [];
  const floatingIps: any[] = [];
  const port = recorded("ports").body.ports[0];
  let made = 0;
  const fresh = () => ({
    id: Bun.randomUUIDv7(),
    created_at: new Date(Date.parse(port.created_at) + 1000 * made++).toISOString(),
  });

  /** Those that have every value that the query names, as Neutron filters. */
  const fitting = (things: any[], { query }: Asked) =>
    things.filter((thing) =>
      [...query].every(([name, value]) => !(name in thing) || String(thing[name]) === value),
    );
  const drop = (things: any[], id: string | undefined) => {
    const at = things.findIndex((thing) => thing.id === id);
    if (at >= 0) things.splice(at, 1);
    return at >= 0;
  };

  const routes: Routes = {
    "GET /v2.0/networks": (asked) => reply("networks-by-name", { networks: fitting(networks, asked) }),
    "POST /v2.0/networks": ({ body }) => {
      const { network } = recorded("network-create").body;
      networks.push({ ...network, ...fresh(), ...body.network });
      return reply("network-create", { network: networks.at(-1) });
    },
    "DELETE /v2.0/networks/*": (_, [id]) =>
      reply(drop(networks, id) ? "network-delete" : "network-delete-gone"),
    "GET /v2.0/subnets": (asked) => reply("subnets-by-name", { subnets: fitting(subnets, asked) }),
    "POST /v2.0/subnets": ({ body }) => {
      const { subnet } = recorded("subnet-create").body;
      subnets.push({ ...subnet, ...fresh(), ...body.subnet });
      return reply("subnet-create", { subnet: subnets.at(-1) });
    },
    "DELETE /v2.0/subnets/*": (_, [id]) =>
      reply(drop(subnets, id) ? "network-delete" : "network-delete-gone"),
    "GET /v2.0/ports": ({ query }) => {
      const id = query.get("device_id") ?? "";
      const ports = servers.has(id) ? [{ ...port, id: `port-${id}`, device_id: id }] : [];
      return reply("ports", { ports });
    },
    "GET /v2.0/floatingips": (asked) => reply("floating-ips", { floatingips: fitting(floatingIps, asked) }),
    "POST /v2.0/floatingips": ({ body }) => {
      const { floatingip } = recorded("floating-ip-create").body;
      const address = { floating_ip_address: `203.0.113.${floatingIps.length + 10}`, port_id: null };
      floatingIps.push({ ...floatingip, ...address, ...fresh(), ...body.floatingip });
      return reply("floating-ip-create", { floatingip: floatingIps.at(-1) });
    },
    "PUT /v2.0/floatingips/*": ({ body }, [id]) => {
      const floatingip = floatingIps.find((each) => each.id === id);
      Object.assign(floatingip, body.floatingip);
      return { status: 200, body: { floatingip } };
    },
    "DELETE /v2.0/floatingips/*": (_, [id]) =>
      reply(drop(floatingIps, id) ? "floating-ip-delete" : "floating-ip-delete-gone"),
  };
  return { routes, networks, subnets, floatingIps };
}
