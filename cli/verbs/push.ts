import type { DemoPushRequest, DemoPushView } from "#contracts/api/process";
import { parseImageReference } from "#domain/image/reference";
import { asking } from "../asking.ts";
import { exitCodes, Failure } from "../failure.ts";
import { digestText } from "../render/image.ts";
import { paintMark } from "../render/look.ts";
import type { Server } from "../server.ts";

interface Flags {
  readonly broken?: boolean;
}

const demoRegistry = "registry.demo";

/** `lookout push IMAGE` */
export const addPush = asking<[image: string], Flags>({
  name: "push",
  tells: "push an image to the demo's registry (the demo alone)",
  takes: [["<image>", "path:tag, with or without registry.demo/ before it", imageOf]],
  options: (command) => command.option("--broken", "an image that can't start: Lookout rolls it back"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout push shop/api:1.3.0", "a push, all the way to running"],
    ["lookout push shop/api:1.4.0 --broken", "an image that can't start: rolled back"],
  ],
  async answer({ server, flags: { broken }, look }, image) {
    const view = await pushed(server, { image, ...(broken === true ? { broken } : {}) });
    const told = `${paintMark("✓", look)} pushed ${view.image} @ ${digestText(view.digest, look)}`;
    return { value: view, text: () => `${told}\n  To see what comes of it:  lookout status\n` };
  },
});

function imageOf(text: string): string {
  const image = text.startsWith(`${demoRegistry}/`) ? text.slice(demoRegistry.length + 1) : text;
  const parsed = parseImageReference(`${demoRegistry}/${image}`);
  if (!parsed.ok || parsed.value.tag === undefined || parsed.value.digest !== undefined)
    throw new Failure(exitCodes.wrongInput, `"${text}" is not an image to push: expected path:tag.`, [
      "For example: shop/api:1.3.0",
    ]);
  return image;
}

/** Only the demo has a registry to push to: any other Lookout does not know the path. */
async function pushed(server: Server, request: DemoPushRequest): Promise<DemoPushView> {
  try {
    return await server.post<DemoPushView>("/v1/demo/push", "digest", request);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.notSo) throw error;
    throw new Failure(exitCodes.notSo, "This Lookout is not the demo: it has no registry to push to.", [
      `${server.label}.`,
      "Push to your own registry with your own tools; Lookout hears of it.",
    ]);
  }
}
