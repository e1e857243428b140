import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pythonOfEmulator } from "./emulator.ts";
import { policiesOf, type Resources } from "./policies.ts";

/** A finding of a linter. */
export interface Finding {
  /** The rule, as the linter names it. */
  readonly rule: string;
  /** The template, the resource, and for templates the path in the resource. */
  readonly where: string;
  readonly message: string;
}

/** A template of CloudFormation. */
export interface TemplateJson {
  readonly Resources: Resources;
}

interface CfnLintFinding {
  readonly Filename: string;
  readonly Location: { readonly Path: readonly (string | number)[] | null };
  readonly Message: string;
  readonly Rule: { readonly Id: string };
}

/** Returns the errors and warnings of cfn-lint for templates by their names. */
export async function lintTemplates(templates: Readonly<Record<string, TemplateJson>>): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-lint-"));
  try {
    const files = Object.keys(templates).map((name) => join(folder, `${name}.json`));
    for (const [index, template] of Object.values(templates).entries())
      await writeFile(files[index] ?? "", JSON.stringify(template));
    const said = await runPython([
      "-m",
      "cfnlint.runner.cli",
      "--format",
      "json",
      "--regions",
      "us-east-1",
      "--",
      ...files,
    ]);
    return (JSON.parse(said) as readonly CfnLintFinding[]).map(({ Filename, Location, Message, Rule }) => ({
      rule: Rule.Id,
      where: [basename(Filename, ".json"), ...(Location.Path ?? [])].join("/"),
      message: Message,
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the findings of parliament for the policies of templates by their names. */
export async function lintPolicies(templates: Readonly<Record<string, TemplateJson>>): Promise<readonly Finding[]> {
  const policies = Object.entries(templates).flatMap(([name, { Resources }]) =>
    [...policiesOf(Resources)].map(([id, policy]) => [`${name}/${id}`, policy] as const),
  );
  const program = join(import.meta.dirname, "emulator/lint_policies.py");
  return JSON.parse(await runPython([program], JSON.stringify(Object.fromEntries(policies)))) as readonly Finding[];
}

/** Returns the output. cfn-lint ends with a code above 1 when it has findings. */
async function runPython(words: readonly string[], input = ""): Promise<string> {
  const python = await pythonOfEmulator();
  return new Promise((resolve, reject) => {
    const child = execFile(python, [...words], { maxBuffer: 64 * 1024 * 1024 }, (error, output, problem) => {
      if (output.trim().startsWith("[")) resolve(output);
      else reject(new Error(`${words.join(" ")}: ${problem}`, { cause: error }));
    });
    child.stdin?.end(input);
  });
}
