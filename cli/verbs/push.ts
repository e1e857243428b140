import type { DemoPushRequest, DemoPushView } from "#contracts/api/process";
import { parseImageReference } from "#domain/image/reference";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { digestText } from "../render/image.ts";
import { paintMark } from "../render/style.ts";
import type { Server } from "../server.ts";

interface Flags {
  readonly broken?: boolean;
}

const demoRegistry = "registry.demo";

/** `lookout push IMAGE` */
export const addPush = serverVerb<[image: string], Flags>({
  name: "push",
  description: "push an image to the demo's registry",
  parameters: [["<image>", "the image: path:tag, or registry.demo/path:tag", imageOf]],
  options: (command) => command.option("--broken", "push an image that can't start"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout push shop/api:1.3.0", "push an image that Lookout rolls out"],
    ["lookout push shop/api:1.4.0 --broken", "push an image that Lookout rolls back"],
  ],
  async answer({ server, flags: { broken }, style }, image) {
    const view = await pushed(server, { image, ...(broken === true ? { broken } : {}) });
    const done = `${paintMark("✓", style)} pushed ${view.image} @ ${digestText(view.digest, style)}`;
    return { value: view, text: () => `${done}\n  To see its update:  lookout status\n` };
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

/** Pushes an image. Only the demo accepts this request. */
async function pushed(server: Server, request: DemoPushRequest): Promise<DemoPushView> {
  try {
    return await server.post<DemoPushView>("/v1/demo/push", "digest", request);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.notSo) throw error;
    throw new Failure(exitCodes.notSo, "This Lookout is not the demo, so it has no registry.", [
      `${server.label}.`,
      "Push to your own registry with your own tools. The registry notifies Lookout.",
    ]);
  }
}
