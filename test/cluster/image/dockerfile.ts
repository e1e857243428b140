/** One instruction of a Dockerfile: `COPY` and its text, in one line. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** A stage of a Dockerfile: its base image and its instructions. */
export interface BuildStage {
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** Returns the stages of a Dockerfile in order. */
export function stagesOf(dockerfile: string): readonly BuildStage[] {
  const instructions = dockerfile
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...words] = line.split(" ");
      return { name, text: words.join(" ") };
    });
  const starts = instructions.flatMap(({ name }, index) => (name === "FROM" ? [index] : []));
  return starts.map((start, index) => ({
    from: instructions[start]?.text ?? "",
    instructions: instructions.slice(start + 1, starts[index + 1]),
  }));
}

/** Returns the texts of all instructions with a name. */
export function textsOf({ instructions }: BuildStage, name: string): readonly string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}

/** Returns the only text of an instruction. */
export function textOf(stage: BuildStage, name: string): string {
  const [text, ...more] = textsOf(stage, name);
  if (text === undefined || more.length > 0) throw new Error(`expected one ${name} in the stage`);
  return text;
}

/** Returns a command in the form of JSON: `["lookout"]`. */
export function commandOf(stage: BuildStage, name: string): readonly string[] {
  return JSON.parse(textOf(stage, name).replace(/^.*?CMD \[|^\[/, "[")) as string[];
}

/** Returns pairs such as `NAME=value NAME="a value"`. */
export function pairsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)=("[^"]*"|\S+)/g)].map(([, name = "", value = ""]) => [name, value.replaceAll('"', "")]),
  );
}
