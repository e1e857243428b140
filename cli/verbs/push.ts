import type { DemoPushRequest, DemoPushView } from "#contracts/api/process";
import type { ImageView } from "#contracts/api/schema";
import { imageNameOf, parseImageReference } from "#domain/image/reference";
import { printableText } from "#domain/shared/shown-text";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { digestText } from "../render/image.ts";
import { printable } from "../render/printable.ts";
import { renderSweep } from "../render/sweep.ts";
import { paintMark, type Style } from "../render/style.ts";
import type { Answer } from "../output.ts";
import type { Server } from "../server.ts";
import { readWorkloads } from "../workloads.ts";

interface Flags {
  readonly broken?: boolean;
}

const demoRegistry = "registry.demo";

/** `lookout push IMAGE` */
export const addPush = serverVerb<[image: string], Flags>({
  name: "push",
  description: "report an image that was pushed, or push one to the demo's registry",
  parameters: [["<image>", "the image: registry/path:tag; in the demo, path:tag", imageOf]],
  options: (command) => command.option("--broken", "push an image that can't start (only in the demo)"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout push registry.example.com/shop/api:1.3.0", "after a build: Lookout reads the repository now"],
    ["lookout push shop/api:1.3.0", "in the demo: push an image that Lookout rolls out"],
    ["lookout push shop/api:1.4.0 --broken", "in the demo: push an image that Lookout rolls back"],
  ],
  async answer({ server, flags: { broken }, style }, image) {
    const view = await pushed(server, { image, ...(broken === true ? { broken } : {}) });
    if (view === undefined) return reported(server, image, style);
    const { workloads } = await readWorkloads(server);
    const tracked = new Set(workloads.flatMap(({ runs }) => runs.filter(isTracked).map(({ imageName }) => imageName)));
    const done = `${paintMark("✓", style)} pushed ${view.image} @ ${digestText(view.digest, style)}`;
    const next = tracked.has(imageNameIn(view))
      ? "  To see its update:  lookout status"
      : untracked(view, tracked, style);
    return { value: view, text: () => `${done}\n${next}\n` };
  },
});

/** Returns whether a policy chooses the image of a container. */
function isTracked({ policy }: ImageView): boolean {
  return policy !== undefined;
}

function imageNameIn({ image }: DemoPushView): string {
  const parsed = parseImageReference(image);
  return parsed.ok ? imageNameOf(parsed.value) : image;
}

/** The most tracked repositories that the warning names. */
const mostNamed = 5;

/** Returns the warning that a push updates nothing. The push itself is done, so this is no failure. */
function untracked(view: DemoPushView, tracked: ReadonlySet<string>, style: Style): string {
  const warning = `  ${paintMark("!", style)} No workload tracks ${imageNameIn(view)}, so this push updates nothing.`;
  const names = [...tracked].slice(0, mostNamed).map(printableText).join(", ");
  return names === "" ? warning : `${warning}\n    Tracked: ${names}${tracked.size > mostNamed ? ", …" : ""}`;
}

function imageOf(text: string): string {
  const image = text.startsWith(`${demoRegistry}/`) ? text.slice(demoRegistry.length + 1) : text;
  if (!isTagged(`${demoRegistry}/${image}`) && !(hasRegistry(image) && isTagged(image)))
    throw new Failure(exitCodes.wrongInput, `"${text}" is not an image to push: expected path:tag.`, [
      "For example: shop/api:1.3.0",
    ]);
  return image;
}

/** Returns whether a text is an image with a tag, and without a digest. */
function isTagged(text: string): boolean {
  const parsed = parseImageReference(text);
  return parsed.ok && parsed.value.tag !== undefined && parsed.value.digest === undefined;
}

/** Returns whether an image names its registry, so that it can't be one of the demo's. */
function hasRegistry(image: string): boolean {
  return /^[^/]*[.:][^/]*[/]|^localhost[/]/.test(image);
}

/** Pushes an image. Returns undefined for a server that is not the demo, and so has no registry. */
async function pushed(server: Server, request: DemoPushRequest): Promise<DemoPushView | undefined> {
  try {
    return await server.ask("pushToDemo", { body: request });
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.notSo) throw error;
    if (hasRegistry(request.image) && request.broken !== true) return undefined;
    throw new Failure(exitCodes.notSo, "This Lookout is not the demo, so it has no registry.", [
      `${server.label}.`,
      "Push to your own registry with your own tools, then report it: lookout push REGISTRY/PATH:TAG",
    ]);
  }
}

/** Lets Lookout read the repository of a pushed image now. Lookout believes only the registry. */
async function reported(server: Server, image: string, style: Style): Promise<Answer> {
  const parsed = parseImageReference(image);
  const imageName = parsed.ok ? imageNameOf(parsed.value) : image;
  const view = await server.ask("sweepNow", { body: { imageName } });
  const isDone = view.notReached.length === 0 && view.repositories.every(({ problem }) => problem === undefined);
  return {
    value: view,
    text: () => `${renderSweep(printable(view), style)}  To see its update:  lookout status\n`,
    exitCode: isDone ? exitCodes.done : exitCodes.notSo,
  };
}
