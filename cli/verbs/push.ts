import type { DemoPushRequest, DemoPushView } from "#contracts/api/process";
import type { ImageView } from "#contracts/api/schema";
import { imageNameOf, parseImageReference } from "#domain/image/reference";
import { printableText } from "#domain/shared/shown-text";
import type { DurationMs } from "#domain/shared/time";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { digestText } from "../render/image.ts";
import { printable } from "../render/printable.ts";
import { renderSweep } from "../render/sweep.ts";
import { paintMark, type Style } from "../render/style.ts";
import type { Answer } from "../output.ts";
import type { Server } from "../server.ts";
import { readWorkloads } from "../workloads.ts";
import { timeoutOption, wait } from "./wait.ts";

interface Flags {
  readonly broken?: boolean;
  readonly wait?: boolean;
  readonly timeout: DurationMs;
}

const demoRegistry = "registry.demo";

/** `lookout push IMAGE` */
export const addPush = serverVerb<[image: string], Flags>({
  name: "push",
  description: "report an image that was pushed, or push one to the demo's registry",
  parameters: [["<image>", "the image: registry/path:tag; in the demo, path:tag", imageOf]],
  options: (command) =>
    command
      .option("--broken", "push an image that can't start (only in the demo)")
      .option("--wait", "wait until each workload that the push leads to runs it, as lookout wait does")
      .addOption(timeoutOption()),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout push registry.example.com/shop/api:1.3.0", "after a build: Lookout reads the repository now"],
    ["lookout push registry.example.com/shop/api:1.3.0 --wait", "after a build: end when the image runs, or failed"],
    ["lookout push shop/api:1.3.0", "in the demo: push an image that Lookout rolls out"],
    ["lookout push shop/api:1.4.0 --broken", "in the demo: push an image that Lookout rolls back"],
  ],
  async answer(input, image) {
    const { flags, server, style } = input;
    if (flags.wait === true && !["text", "json"].includes(flags.output))
      throw new Failure(exitCodes.wrongInput, `--wait writes text or JSON, and not ${flags.output}.`, [
        "For JSON, one object per line:  --output json",
      ]);
    const { broken } = flags;
    const view = await pushed(server, { image, ...(broken === true ? { broken } : {}) });
    const pushedImage =
      view === undefined ? await reported(server, image, style) : await pushedToDemo(server, view, style);
    return flags.wait === true ? waitForPush(input, pushedImage) : pushedImage.answer;
  },
});

type Input = Parameters<Parameters<typeof serverVerb<[image: string], Flags>>[0]["answer"]>[0];

/** A pushed or reported image. */
interface Pushed {
  readonly imageName: string;
  readonly tag: string;
  readonly digest?: string;
  /** The answer without a wait. */
  readonly answer: Answer;
}

async function pushedToDemo(server: Server, view: DemoPushView, style: Style): Promise<Pushed> {
  const { workloads } = await readWorkloads(server);
  const tracked = new Set(workloads.flatMap(({ runs }) => runs.filter(isTracked).map((run) => run.imageName)));
  const done = `${paintMark("✓", style)} pushed ${view.image} @ ${digestText(view.digest, style)}`;
  const { imageName, tag } = partsOf(view.image);
  const next = tracked.has(imageName) ? "  To see its update:  lookout status" : untracked(imageName, tracked, style);
  return { imageName, tag, digest: view.digest, answer: { value: view, text: () => `${done}\n${next}\n` } };
}

/** Waits for all workloads that track a pushed image. */
async function waitForPush(
  { world, flags, style }: Input,
  { imageName, tag, digest, answer }: Pushed,
): Promise<Answer> {
  const { output } = flags;
  const goal = { kind: "version", text: tag, ...(digest === undefined ? {} : { digest }) } as const;
  const text = answer.text().replace(toSeeStatus, "");
  world.stdout.write(output === "json" ? `${JSON.stringify(answer.value)}\n` : text);
  const tracking: string[] = [];
  const exitCode = await wait(world, {
    ...flags,
    output: output === "json" ? "json" : "text",
    for: "succeeded",
    isAlone: false,
    awaited: async (server) => {
      const { workloads } = await readWorkloads(server);
      const those = workloads.filter(({ runs }) => runs.some((run) => isTracked(run) && run.imageName === imageName));
      tracking.push(...those.map(({ workload }) => workload));
      return tracking.map((workload) => ({ workload, goal }));
    },
  });
  if (tracking.length > 0) return { ...answer, exitCode, isWritten: true };
  const warning = `${paintMark("!", style)} No workload tracks ${imageName}, so there is nothing to wait for.\n`;
  world.stderr.write(warning);
  return { ...answer, exitCode: exitCodes.refused, isWritten: true };
}

/** The advice that a wait makes needless. */
const toSeeStatus = /^ {2}To see its update: {2}lookout status\n/m;

/** Returns whether a policy chooses the image of a container. */
function isTracked({ policy }: ImageView): boolean {
  return policy !== undefined;
}

function partsOf(image: string): Pick<Pushed, "imageName" | "tag"> {
  const parsed = parseImageReference(image);
  return parsed.ok
    ? { imageName: imageNameOf(parsed.value), tag: parsed.value.tag ?? "latest" }
    : { imageName: image, tag: "" };
}

/** The most tracked repositories that the warning names. */
const mostNamed = 5;

/** Returns the warning that a push updates nothing. The push itself is done, so this is no failure. */
function untracked(imageName: string, tracked: ReadonlySet<string>, style: Style): string {
  const warning = `  ${paintMark("!", style)} No workload tracks ${imageName}, so this push updates nothing.`;
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
async function reported(server: Server, image: string, style: Style): Promise<Pushed> {
  const { imageName, tag } = partsOf(image);
  const view = await server.ask("sweepNow", { body: { imageName } });
  const isDone = view.notReached.length === 0 && view.repositories.every(({ problem }) => problem === undefined);
  const answer: Answer = {
    value: view,
    text: () => `${renderSweep(printable(view), style)}  To see its update:  lookout status\n`,
    exitCode: isDone ? exitCodes.done : exitCodes.notSo,
  };
  return { imageName, tag, answer };
}
