import type { Command } from "commander";
import { printableText } from "#domain/shared/shown-text";
import { kindSpecs } from "#domain/workload/kinds";
import type { OutdatedImages, readOutdated } from "#runtime/local/outdated";
import { annotationsToAdd, shellWord } from "../answers/outdated.ts";
import { type AddVerb, type Context, repeated, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { type Answer, writeAnswer } from "../output.ts";
import { type OutdatedCommand, renderAnnotations, renderOutdated } from "../render/outdated.ts";
import { printable } from "../render/printable.ts";
import { isIn, meaningsOf } from "../scopes.ts";
import type { World } from "../world.ts";

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly config?: string;
  readonly namespace?: readonly string[];
  readonly age?: true;
  readonly annotate?: true;
  readonly wide?: true;
  readonly output: string;
}

/** Reads the images of a cluster and their registries. */
export type ReadOutdated = typeof readOutdated;

const readHere: ReadOutdated = async (...asked) => (await import("#runtime/local/outdated")).readOutdated(...asked);

/** `lookout outdated [WORKLOAD…]` */
export const addOutdated: AddVerb = (program, context) => {
  addOutdatedWith(readHere)(program, context);
};

/** Returns the verb with another reader, for tests. */
export function addOutdatedWith(read: ReadOutdated): AddVerb {
  return (program, context) => {
    const command: Command = program
      .command("outdated")
      .description("list the images of a cluster and their newer versions; needs no annotation and no server")
      .argument("[workload...]", "namespace/[kind/]name, or a namespace (default: all)")
      .option("--kubeconfig <file>", "the kubeconfig of your cluster (KUBECONFIG; default: ~/.kube/config)")
      .option("--context <name>", "the context in the kubeconfig (default: the current context)")
      .option("-n, --namespace <name>", "only this namespace; repeatable (default: all but kube-*)", namespaces)
      .option("--config <file>", "the lookout.yaml with rules of registries (default: ./lookout.yaml, if any)")
      .option("--age", "show when the running and the newest image were built; takes more requests")
      .option("--annotate", "print the annotations that let Lookout update the images")
      .option("--wide", "show whole tags and digests")
      .action((names: readonly string[], flags: Flags) => answer(context, read, names, flags));
    withExamples(withOutput(command, ["table", "json", "yaml", "name"]), [
      ["lookout outdated", "list the images of all namespaces"],
      ["lookout outdated -n shop --age", "list one namespace, with the ages of images"],
      ["lookout outdated -n shop --annotate", "print kubectl commands that let Lookout update the images"],
      ["lookout outdated --output name", "list only the workloads that are behind, one per line"],
    ]);
  };
}

async function answer(
  { world, setExitCode }: Context,
  read: ReadOutdated,
  names: readonly string[],
  flags: Flags,
): Promise<void> {
  const scopes = names.flatMap((name) => meaningsOf(name));
  const { kubeconfig, context, config, namespace = [] } = flags;
  const progress = progressOn(world);
  const place = {
    cwd: world.cwd,
    environment: world.environment,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(config === undefined ? {} : { config }),
    notice: (text: string) => void world.stderr.write(`! ${printableText(text)}\n`),
  };
  const found = await read(
    place,
    {
      namespaces: namespace,
      isWanted: (workload) => scopes.length === 0 || scopes.some((scope) => isIn(scope, workload)),
      withAges: flags.age === true && flags.annotate !== true,
      onProgress: progress.show,
    },
    // Ctrl-C ends the command at once, because nothing is written.
    new AbortController().signal,
  )
    .finally(progress.clear)
    .catch((error: unknown) => {
      throw kubeconfigFailure(error) ?? error;
    });
  refuseNothing(found, names);
  await writeAnswer(world, flags.output, answerOf(found, names, flags, world));
  setExitCode(exitCodes.done);
}

/** Collects namespaces. @throws Failure for a text that no namespace can have as its name */
function namespaces(name: string, before?: readonly string[]): readonly string[] {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return repeated(name, before);
  throw new Failure(exitCodes.wrongInput, `"${name}" is not a namespace: expected a name such as shop.`);
}

/** Returns the failure of an unusable kubeconfig with what to do, or undefined for another error. */
function kubeconfigFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || error.name !== "PermanentError") return undefined;
  if (!error.message.startsWith("the kubeconfig ")) return undefined;
  return new Failure(
    exitCodes.wrongInput,
    `${error.message}.`,
    ["To name another cluster:  lookout outdated --kubeconfig FILE --context NAME"],
    { cause: error },
  );
}

function answerOf(found: OutdatedImages, names: readonly string[], flags: Flags, world: World): Answer {
  const style = styleOf(world, flags);
  const command = commandOf(names, flags);
  if (flags.annotate === true) {
    const toAdd = annotationsToAdd(found);
    return {
      value: toAdd,
      text: () => renderAnnotations(printable(toAdd), command),
      names: () => toAdd.workloads.map(({ workload }) => printableText(workload)),
    };
  }
  const { images, refused } = found;
  return {
    value: { images, refused },
    text: () => renderOutdated(printable({ images, refused }), command, style),
    names: () => {
      const behind = images.filter(({ state }) => state === "behind");
      return [...new Set(behind.map(({ workload }) => printableText(workload)))];
    },
  };
}

/** Throws if no list was answered, or if a named workload does not exist. */
function refuseNothing({ refused, nothingListed, images }: OutdatedImages, names: readonly string[]): void {
  const [first] = refused;
  if (nothingListed && first !== undefined) {
    const isDenied = refused.every(({ refusal }) => refusal === "denied");
    const details = [...new Set(refused.map(({ detail }) => detail))];
    throw new Failure(
      isDenied ? exitCodes.refused : exitCodes.unreachable,
      isDenied ? "The cluster denies the lists of workloads." : "The cluster can't be reached.",
      [
        ...details,
        isDenied
          ? `To list a namespace that you may read:  lookout outdated -n NAMESPACE`
          : "To name another cluster:  lookout outdated --kubeconfig FILE --context NAME",
      ],
    );
  }
  if (names.length > 0 && images.length === 0 && refused.length === 0)
    throw new Failure(exitCodes.notSo, `No workload "${names.join('", "')}" is in the cluster.`, [
      `Lookout reads ${Object.values(kindSpecs)
        .map(({ plural }) => plural)
        .join(", ")}. To list all:  lookout outdated`,
    ]);
}

function commandOf(names: readonly string[], flags: Flags): OutdatedCommand {
  const { kubeconfig, context, config, namespace = [] } = flags;
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  const kubectlFlags = [...flag("--kubeconfig", kubeconfig), ...flag("--context", context)];
  const words = [...names, ...kubectlFlags, ...flag("--config", config), ...namespace.flatMap((one) => ["-n", one])];
  return {
    command: ["lookout", "outdated", ...words.map(shellWord)].join(" "),
    kubectlFlags,
    withAges: flags.age === true,
  };
}

/** Shows the progress in one line of a terminal. Elsewhere it shows nothing. */
function progressOn({ isErrorTerminal, stderr, environment }: World) {
  const canReturn = isErrorTerminal && environment.TERM !== "dumb";
  let isShown = false;
  return {
    show: (done: number, all: number): void => {
      if (!canReturn) return;
      isShown = true;
      stderr.write(`\r${done} of ${all} repositories read`);
    },
    clear: (): void => {
      if (isShown) stderr.write("\r\u001b[K");
    },
  };
}
