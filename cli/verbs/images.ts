import type { ImagesView } from "#contracts/api/history";
import { printable } from "../render/printable.ts";
import { renderImages } from "../render/images.ts";
import type { Server } from "../server.ts";
import { serverVerb } from "../server-verb.ts";

/** `lookout images [IMAGE]` */
export const addImages = serverVerb<[image?: string]>({
  name: "images",
  description: "list which version of an image runs in which workload, and since when",
  parameters: [["[image]", "a part of an image's name or tag (default: all images)"]],
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout images shop/api", "where each version of shop/api runs"],
    ["lookout images :1.4.2", "where the tag 1.4.2 of any image runs"],
  ],
  async answer({ server, style }, image) {
    const view = await readImages(image, server);
    return {
      value: view,
      text: () => renderImages(printable(view), image, style),
      names: () => [...new Set(view.images.map(({ workload }) => workload))],
    };
  },
});

const pageSize = 1_000;

async function readImages(image: string | undefined, server: Server): Promise<ImagesView> {
  const q = image === undefined ? {} : { q: image };
  let view = await server.ask("listImages", { query: { ...q, limit: pageSize } });
  while (view.next !== undefined) {
    const { next, ...before } = view;
    const page = await server.ask("listImages", { query: { ...q, limit: pageSize, after: next } });
    view = { ...before, ...page, images: [...view.images, ...page.images] };
  }
  return view;
}
