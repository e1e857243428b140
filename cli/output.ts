import type { ExitCode } from "./failure.ts";
import type { World } from "./world.ts";

/** An answer in the forms it can be written in. */
export interface Answer {
  /** As the API gave it. */
  readonly value: object;
  /** For people; ends with a line break. */
  readonly text: () => string;
  /** What `--output name` lists; absent where the answer is no table. */
  readonly names?: () => readonly string[];
  /** 0 where it says nothing. */
  readonly exitCode?: ExitCode;
}

/** Writes an answer in a format that the verb's `--output` allows. */
export async function writeAnswer(world: World, format: string, answer: Answer): Promise<void> {
  world.stdout.write(await formatted(format, answer));
}

async function formatted(format: string, { value, text, names }: Answer): Promise<string> {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (format === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(value, { lineWidth: 0 });
  }
  if (format === "name") return (names?.() ?? []).map((name) => `${name}\n`).join("");
  return text();
}
