import type { Command } from "commander";
import { parseImageReference } from "#domain/image/reference";
import { type ImageAnswer, imageAnswer } from "../answers/image.ts";
import { type AddVerb, type Context, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { renderTable } from "../render/table.ts";

interface Flags {
  readonly output: string;
}

/** `lookout image parse` */
export const addImage: AddVerb = (program, context) => {
  const group = program.command("image").description("try image references");
  const command: Command = group
    .command("parse")
    .description("split image references into their parts, as a container runtime does")
    .argument("[references...]", "image references, such as nginx:1.27")
    .action((references: readonly string[], flags: Flags) => parse(context, references, flags));
  withExamples(withOutput(command, ["table", "json", "yaml", "name"]), [
    ["lookout image parse nginx ghcr.io/owner/app:1.2.3", "show registry, repository and tag"],
  ]);
};

async function parse(context: Context, references: readonly string[], { output }: Flags): Promise<void> {
  if (references.length === 0)
    throw new Failure(exitCodes.wrongInput, "An image is missing: add one, for example nginx:1.27.");
  const images = references.map(imageOf);
  await writeAnswer(context.world, output, {
    value: images,
    text: () => renderTable(["REGISTRY", "REPOSITORY", "TAG", "DIGEST"], images.map(cells), styleOf(context.world)),
    names: () => images.map(({ canonical }) => canonical),
  });
}

function imageOf(reference: string): ImageAnswer {
  const parsed = parseImageReference(reference);
  if (parsed.ok) return imageAnswer(parsed.value);
  throw new Failure(exitCodes.wrongInput, `${parsed.problem.message}.`);
}

function cells({ registry, repository, tag, digest }: ImageAnswer): readonly string[] {
  return [registry, repository, tag ?? "–", digest ?? "–"];
}
