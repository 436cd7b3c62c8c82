import { type Routes, reply } from "./answer.ts";
import { recorded } from "./recordings.ts";

/** Glance: images by name and id. */
export function glance() {
  const images: any[] = recorded("images").body.images;
  const routes: Routes = {
    "GET /v2/images": ({ query }) =>
      reply("images", { images: images.filter(({ name }) => name === query.get("name")) }),
    "GET /v2/images/*": (_, [id]) => {
      const image = images.find((each) => each.id === id);
      return image ? reply("image", image) : reply("image-missing");
    },
  };
  return { routes, images };
}
