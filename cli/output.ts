import type { Command } from "commander";
import type { ExitCode, interruptedCode } from "./failure.ts";
import type { World } from "./world.ts";

/** An answer in each of its formats. */
export interface Answer {
  /** The API's answer, unchanged. */
  readonly value: object;
  /** Returns the answer as text, with a line break at the end. */
  readonly text: () => string;
  /** Returns the lines of `--output name`. Absent for verbs without this format. */
  readonly names?: () => readonly string[];
  /** The exit code. The default is 0. */
  readonly exitCode?: ExitCode | typeof interruptedCode;
  /** True if the verb has written its answer piece by piece. */
  readonly isWritten?: true;
  /** What the verb does after its answer is printed. */
  readonly afterwards?: () => Promise<void>;
}

/** The version of the objects that `--output json|yaml` prints. */
const apiVersion = "lookout.dev/v1";

/** The kinds of answers that are not named as their command is. */
const kinds: Readonly<Record<string, string>> = {
  approvals: "ApprovalList",
  "channel list": "ChannelList",
  "cluster list": "ClusterList",
  explain: "Explanation",
  freeze: "FreezeList",
  freezes: "FreezeList",
  history: "DecisionList",
  outdated: "ImageList",
  "quarantine add": "QuarantineList",
  "registry list": "RegistryList",
  status: "WorkloadList",
  "token list": "TokenList",
  unfreeze: "FreezeList",
  updates: "UpdateList",
};

/** Returns the kind of a command's answer: `ClusterCheck` for `cluster check`. */
export function kindOf(command: Command): string {
  const names: string[] = [];
  for (let one = command; one.parent !== null; one = one.parent) names.unshift(one.name());
  const words = names.join(" ");
  return kinds[words] ?? names.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join("");
}

/** Returns an object with its version and kind. */
export function versioned(kind: string, value: object): object {
  return { apiVersion, kind, ...value };
}

/**
 * Writes an answer in the format of the verb's `--output`.
 *
 * @param kind - the kind of the printed object. Absent for the verbs whose JSON is another
 *   program's input.
 */
export async function writeAnswer(
  { stdout }: World,
  format: string,
  { value, text, names, isWritten }: Answer,
  kind?: string,
): Promise<void> {
  if (isWritten === true) return;
  const object = kind === undefined ? value : versioned(kind, value);
  if (format === "json") stdout.write(`${JSON.stringify(object, null, 2)}\n`);
  else if (format === "yaml") stdout.write((await import("yaml")).stringify(object, { lineWidth: 0 }));
  else if (format === "name") stdout.write((names?.() ?? []).map((name) => `${name}\n`).join(""));
  else stdout.write(text());
}
