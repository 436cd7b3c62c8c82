import { look, type Reply, type Routes, reply, type UnderWay } from "./answer.ts";
import { recorded } from "./recordings.ts";

interface Server {
  underWay?: UnderWay | undefined;
  shown: any;
}

/** Nova: servers, flavors, key pairs; slow by so many looks. */
export function nova(pace: { looks: number }) {
  const servers = new Map<string, Server>();
  const keyPairs = new Set<string>();
  const catalogue = { flavors: recorded("flavors").body.flavors as any[] };
  const ready = recorded("server-active").body.server;
  let made = 0;

  const turn = (server: Server, status: string, task: string, last: string) => {
    Object.assign(server.shown, { status, "OS-EXT-STS:task_state": task });
    const become = () => Object.assign(server.shown, { status: last, "OS-EXT-STS:task_state": null });
    server.underWay = { looks: pace.looks, become };
  };

  function create(wanted: any): string {
    const id = Bun.randomUUIDv7();
    const flavor = catalogue.flavors.find((each) => each.id === wanted.flavorRef);
    const created = new Date(Date.parse(ready.created) + 1000 * made++).toISOString().replace(".000", "");
    const { vcpus, ram, disk, name } = flavor;
    const server: Server = {
      shown: {
        ...structuredClone(recorded("server-build").body.server),
        ...{ id, name: wanted.name, metadata: wanted.metadata, tags: wanted.tags, created },
        flavor: { ...ready.flavor, vcpus, ram, disk, original_name: name },
        key_name: wanted.key_name ?? null,
      },
    };
    servers.set(id, server);
    if (name === "m1.absurd") {
      const { status, fault } = recorded("server-error").body.server;
      server.underWay = {
        looks: pace.looks,
        become: () => Object.assign(server.shown, { status, fault, "OS-EXT-STS:task_state": null }),
      };
    } else {
      const done = { status: ready.status, addresses: ready.addresses, "OS-EXT-STS:task_state": null };
      server.underWay = { looks: pace.looks, become: () => Object.assign(server.shown, done) };
    }
    return id;
  }

  const found = (id: string | undefined, answer: (server: Server) => Reply): Reply => {
    const server = servers.get(id ?? "");
    return server ? answer(server) : reply("server-gone");
  };
  const seen = (server: Server) => {
    look(server);
    return server.shown;
  };

  function act({ shown, ...rest }: Server, server: Server, body: any): Reply {
    const wanted = "os-stop" in body ? "SHUTOFF" : "ACTIVE";
    if (shown.status === wanted || rest.underWay)
      return reply(wanted === "SHUTOFF" ? "stop-stopped" : "start-active");
    turn(server, shown.status, wanted === "SHUTOFF" ? "powering-off" : "powering-on", wanted);
    return reply(wanted === "SHUTOFF" ? "stop" : "start");
  }

  const routes: Routes = {
    "GET /v2.1/flavors": () => reply("flavors-page"),
    "GET /v2.1/flavors/detail": ({ query }) => {
      const from = catalogue.flavors.findIndex(({ id }) => id === query.get("marker")) + 1;
      const flavors = catalogue.flavors.slice(from, from + 3);
      const more = from + 3 < catalogue.flavors.length;
      const links = more ? { flavors_links: recorded("flavors-page").body.flavors_links } : {};
      return reply("flavors", { flavors, ...links });
    },
    "GET /v2.1/servers/detail": ({ query }) => {
      const tagged = [...servers.values()].filter(({ shown }) => shown.tags.includes(query.get("tags")));
      for (const server of tagged) look(server);
      return reply("servers-by-tag", {
        servers: tagged.filter(({ shown }) => servers.has(shown.id)).map(({ shown }) => shown),
      });
    },
    "GET /v2.1/servers/*": (_, [id]) =>
      found(id, (server) => reply("server-active", { server: seen(server) })),
    "POST /v2.1/servers": ({ body: { server } }) => {
      if (server.name.length > 255) return reply("server-long-name");
      if (server.key_name && !keyPairs.has(server.key_name)) return reply("server-bad-key");
      const { body } = recorded("server-create");
      return reply("server-create", { server: { ...body.server, id: create(server) } });
    },
    "DELETE /v2.1/servers/*": (_, [id]) =>
      found(id, (server) => {
        server.shown["OS-EXT-STS:task_state"] = "deleting";
        server.underWay = { looks: pace.looks, become: () => servers.delete(server.shown.id) };
        return reply("server-delete");
      }),
    "POST /v2.1/servers/*/action": ({ body }, [id]) => found(id, (server) => act(server, server, body)),
    "GET /v2.1/servers/*/diagnostics": (_, [id]) => found(id, () => reply("diagnostics")),
    "POST /v2.1/os-keypairs": ({ body: { keypair } }) => {
      if (keyPairs.has(keypair.name)) return reply("key-pair-exists");
      if (!keypair.public_key.startsWith("ssh-")) return reply("key-pair-bad");
      keyPairs.add(keypair.name);
      return reply("key-pair-create");
    },
    "DELETE /v2.1/os-keypairs/*": (_, [name]) =>
      reply(keyPairs.delete(name ?? "") ? "key-pair-delete" : "key-pair-delete-gone"),
    "GET /v2.1/images/detail": ({ query }) => {
      const { images } = recorded("image-proxy").body;
      return reply("image-proxy", { images: images.filter((each: any) => each.name === query.get("name")) });
    },
  };
  return { routes, servers, keyPairs, catalogue, create };
}
