import { isObject } from "#domain/shared/json";
import { isImageRegistry, translateImageRegistry } from "../answers/image-registry.ts";
import { type ImportedRegistry, importedRegistries } from "../answers/imported-registries.ts";
import { type AddVerb, type Context, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { importedRegistriesText } from "../render/imported-registries.ts";
import { printable } from "../render/printable.ts";
import type { World } from "../world.ts";
import { objectsIn } from "../yaml-documents.ts";

interface Flags {
  readonly file?: string;
  readonly output: string;
}

/** `lookout registry import` */
export const addRegistryImport: AddVerb = (group, context) => {
  const command = group
    .command("import")
    .description("print the entries of lookout.yaml for ImageRegistry objects; exit 1 if an object has no entry")
    .option("-f, --file <file>", "a file of YAML or JSON: one object, several documents or a List; - means stdin")
    .action(() => importFrom(context, command.opts<Flags>()));
  withExamples(withOutput(command, ["yaml", "json"]), [
    ["kubectl get imageregistries -A -o yaml | lookout registry import -f -", "read the objects of a cluster"],
    ["lookout registry import -f registries.yaml > lookout.yaml", "read a file"],
  ]);
};

async function importFrom({ world, setExitCode }: Context, { file, output }: Flags): Promise<void> {
  if (file === undefined)
    throw new Failure(exitCodes.wrongInput, "A file is missing: add -f registries.yaml, or -f - for stdin.");
  const imported = await importedFrom(file, world);
  world.stdout.write(
    output === "json"
      ? `${JSON.stringify(answerOf(imported), undefined, 2)}\n`
      : await importedRegistriesText(imported),
  );
  if (imported.some(({ entry, isRepeated }) => entry === undefined && !isRepeated)) setExitCode(exitCodes.notSo);
}

async function importedFrom(file: string, world: World): Promise<readonly ImportedRegistry[]> {
  const objects = await objectsIn(await inputText(file, world), nameOfInput(file));
  if (!objects.ok) throw new Failure(exitCodes.wrongInput, `${objects.problem}.`);
  const translated = objects.value.flatMap(({ place, value }) => {
    if (!isObject(value)) throw new Failure(exitCodes.wrongInput, `${place}: expected a Kubernetes object.`);
    if (!isImageRegistry(value)) return [];
    const read = translateImageRegistry(value);
    if (!read.ok) throw new Failure(exitCodes.wrongInput, `${place}: ${read.problem}.`);
    return [{ place, ...read.value }];
  });
  if (translated.length === 0)
    throw new Failure(exitCodes.wrongInput, `${nameOfInput(file)} contains no ImageRegistry.`, [
      "Expected for example: kubectl get imageregistries -A -o yaml | lookout registry import -f -",
    ]);
  return importedRegistries(translated);
}

function answerOf(imported: readonly ImportedRegistry[]): object {
  return printable({
    registries: imported.flatMap(({ entry }) => entry ?? []),
    notes: imported.flatMap(({ object, notes }) => notes.map((note) => ({ object, ...note }))),
  });
}
