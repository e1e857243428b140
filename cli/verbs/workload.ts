import type { Command } from "commander";
import { kubernetesObjectSchema } from "#contracts/kubernetes/workload-object";
import type { Configuration } from "#contracts/config/configuration";
import { readValue } from "#contracts/read-value";
import { containerNotices, isWorkload, readObject, registryNotices } from "../answers/workload.ts";
import { type KnownTiers, uncheckedTiers } from "../answers/tiers.ts";
import { type AddVerb, type Context, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { writeAnswer } from "../output.ts";
import { readChosen } from "../read-configuration.ts";
import { type ParsedWorkload, renderWorkloads } from "../render/workload.ts";
import type { World } from "../world.ts";
import { objectsIn } from "../yaml-documents.ts";

const notes = `
In JSON, {"unreadable": "…"} replaces an invalid gate. The policy of a container with a problem is null.`;

interface Flags {
  readonly file?: readonly string[];
  readonly config?: string;
  readonly output: string;
}

/** `lookout workload parse` */
export const addWorkload: AddVerb = (program, context) => {
  const group = program.command("workload").description("try the annotations of workloads");
  const command: Command = group
    .command("parse")
    .description("parse manifests: containers, policies and gates; exit 2 if a problem pauses updates")
    .addHelpText("after", notes)
    .option("-f, --file <file...>", "a file of YAML or JSON: one object, several documents or a List; - means stdin")
    .option("--config <file>", "a lookout.yaml: know its kinds, and show the tier and the group of each workload")
    .action((flags: Flags) => parse(context, flags));
  withExamples(withOutput(command, ["table", "json", "yaml", "name"]), [
    ["lookout workload parse -f deploy.yaml", "check a file before kubectl apply"],
    ["kubectl get deployments -A -o yaml | lookout workload parse -f -", "check the objects of a cluster"],
    ["lookout workload parse -f deploy.yaml --config lookout.yaml", "see the tier of each workload, too"],
  ]);
};

async function parse(context: Context, { file: files, config, output }: Flags): Promise<void> {
  if (files === undefined)
    throw new Failure(exitCodes.wrongInput, "A file is missing: add -f deploy.yaml, or -f - for stdin.");
  const parsed: ParsedWorkload[] = [];
  const configuration = config === undefined ? undefined : (await readChosen(context.world, config)).configuration;
  for (const file of files) parsed.push(...(await parsedIn(file, configuration, context.world)));
  if (parsed.length === 0)
    throw new Failure(exitCodes.wrongInput, `${files.map(nameOfInput).join(", ")} contains no object.`);
  await writeAnswer(context.world, output, {
    value: parsed.map(({ name, namespace, kind, answer }) => ({ kind, namespace, name, ...answer })),
    text: () => renderWorkloads(parsed, styleOf(context.world)),
    names: () => parsed.filter(({ answer }) => answer.tracked).map(nameOf),
  });
  if (parsed.some(({ answer }) => answer.tracked && answer.problems.length > 0))
    context.setExitCode(exitCodes.wrongInput);
}

function nameOf({ kind, namespace, name }: ParsedWorkload): string {
  return [...(namespace === undefined ? [] : [namespace]), kind.toLowerCase(), name ?? ""].join("/");
}

/** Returns the tiers and the clusters of a `lookout.yaml`. */
function tiersIn(rules: Configuration): KnownTiers {
  return { rules, clusters: rules.clusters.map(({ name }) => name) };
}

async function parsedIn(
  file: string,
  configuration: Configuration | undefined,
  world: World,
): Promise<readonly ParsedWorkload[]> {
  const tiers = configuration && tiersIn(configuration);
  const schema = kubernetesObjectSchema(configuration?.kinds ?? []);
  const objects = await objectsIn(await inputText(file, world), nameOfInput(file));
  if (!objects.ok) throw new Failure(exitCodes.wrongInput, `${objects.problem}.`);
  const parsed: ParsedWorkload[] = [];
  for (const { place, value } of objects.value) {
    const read = readValue(schema, value);
    if (!read.ok) throw new Failure(exitCodes.wrongInput, `${place}: ${read.problem}.`.replace(/\?\.$/, "?"));
    const object = read.value;
    const { kind, name, namespace } = object;
    const { answer, settings } = await readObject(object, tiers);
    const written = isWorkload(object) ? object.containers : [];
    const notices =
      isWorkload(object) && settings?.enabled === true
        ? [
            ...containerNotices(object, settings),
            ...registryNotices(settings),
            ...(tiers === undefined ? uncheckedTiers(object) : []),
          ]
        : [];
    parsed.push({ kind, name, namespace, answer, settings, written, notices });
  }
  return parsed;
}
