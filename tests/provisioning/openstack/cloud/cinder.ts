import { look, type Reply, type Routes, reply, type UnderWay } from "./answer.ts";
import { recorded } from "./recordings.ts";

interface Volume {
  underWay?: UnderWay | undefined;
  shown: any;
}

/** Cinder, and the part of Nova that attaches its volumes. */
export function cinder(pace: { looks: number }) {
  const volumes = new Map<string, Volume>();
  const attached = recorded("volume-attached").body.volume.attachments[0];
  let made = 0;
  const turn = (volume: Volume, status: string, become: () => void) => {
    volume.shown.status = status;
    volume.underWay = { looks: pace.looks, become };
  };
  const found = (id: string | undefined, answer: (volume: Volume) => Reply): Reply => {
    const volume = volumes.get(id ?? "");
    return volume ? answer(volume) : reply("volume-delete-gone");
  };

  const routes: Routes = {
    "GET /v3/*/volumes": () => reply("volumes-by-name", { volumes: [] }),
    "GET /v3/*/volumes/detail": ({ query }) => {
      const named = [...volumes.values()].filter(({ shown }) => shown.name === query.get("name"));
      for (const volume of named) look(volume);
      const left = named.filter(({ shown }) => volumes.has(shown.id));
      return reply("volumes-by-name", { volumes: left.map(({ shown }) => shown) });
    },
    "POST /v3/*/volumes": ({ body }) => {
      if (body.volume.volume_type === "nope") return reply("volume-bad-type");
      const { volume: shape } = recorded("volume-create").body;
      const created = new Date(Date.parse(`${shape.created_at}Z`) + 1000 * made++);
      const shown = { ...shape, id: Bun.randomUUIDv7(), created_at: created.toISOString().replace("Z", "") };
      const volume: Volume = { shown: { ...shown, ...body.volume } };
      turn(volume, "creating", () => {
        volume.shown.status = "available";
      });
      volumes.set(shown.id, volume);
      return reply("volume-create", { volume: volume.shown });
    },
    "DELETE /v3/*/volumes/*": (_, [, id]) =>
      found(id, (volume) => {
        if (volume.shown.attachments.length > 0) return reply("volume-delete-attached");
        turn(volume, "deleting", () => volumes.delete(volume.shown.id));
        return reply("volume-delete");
      }),
  };
  const attachments: Routes = {
    "POST /v2.1/servers/*/os-volume_attachments": ({ body }, [server]) =>
      found(body.volumeAttachment.volumeId, (volume) => {
        if (volume.shown.status !== "available") return reply("attach-again");
        turn(volume, "attaching", () => {
          volume.shown.status = "in-use";
          volume.shown.attachments = [{ ...attached, volume_id: volume.shown.id, server_id: server }];
        });
        return reply("attach");
      }),
    "DELETE /v2.1/servers/*/os-volume_attachments/*": (_, [, id]) =>
      found(id, (volume) => {
        turn(volume, "detaching", () =>
          Object.assign(volume.shown, { status: "available", attachments: [] }),
        );
        return reply("detach");
      }),
  };
  return { routes, attachments, volumes };
}
