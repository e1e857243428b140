import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blocksOf, page, project } from "./markdown.ts";
import { openScratch, type Scratch } from "./shell.ts";

const patience = 60_000;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly ActionStep[] };
}

interface ActionStep {
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface WorkflowStep {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly jobs: { readonly release: { readonly steps: readonly WorkflowStep[] } };
}

interface GitlabFile {
  readonly rollout: { readonly script: readonly string[] };
}

interface BuildSpec {
  readonly phases: Readonly<Record<string, { readonly commands: readonly string[] }>>;
}

const examples = blocksOf(page("docs/pipelines.md"))
  .filter(({ language }) => language === "yaml")
  .map(({ text }) => parse(text) as unknown);
const action = parse(readFileSync(join(project, "action.yml"), "utf8")) as Action;

/** One script of a pipeline, with its variables. */
interface Script {
  readonly lines: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns a text with the expressions of GitHub replaced. */
function evaluated(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => values[name] ?? "");
}

function workflowScripts(tag: string): readonly Script[] {
  const context = { "github.ref_name": tag, "secrets.LOOKOUT_TOKEN": "TOKEN" };
  return (examples[0] as Workflow).jobs.release.steps.flatMap(({ uses = "", run, with: given = {} }) => {
    if (run !== undefined) return [{ lines: evaluated(run, context), variables: { GITHUB_REF_NAME: tag } }];
    return uses.startsWith("lookout-dev/lookout@") ? actionScripts(given, context) : [];
  });
}

/** Returns the scripts of the action, as a runner runs them. */
function actionScripts(
  given: Readonly<Record<string, string>>,
  context: Readonly<Record<string, string>>,
): readonly Script[] {
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, one]) => [
      `inputs.${name}`,
      evaluated(given[name] ?? one.default, context),
    ]),
  );
  return action.runs.steps.flatMap(({ run, env = {}, if: condition = "" }) => {
    const [, needed] = /(inputs[.]\w+) != ''/.exec(condition) ?? [];
    if (run === undefined || (needed !== undefined && inputs[needed] === "")) return [];
    const variables = Object.entries(env).map(([name, value]) => [name, evaluated(value, inputs)] as const);
    return [{ lines: run, variables: Object.fromEntries(variables) }];
  });
}

const pipelines: readonly { readonly name: string; readonly scripts: (tag: string) => readonly Script[] }[] = [
  { name: "GitHub Actions", scripts: workflowScripts },
  {
    name: "GitLab CI",
    scripts: (tag) => [
      { lines: (examples[1] as GitlabFile).rollout.script.join("\n"), variables: { CI_COMMIT_TAG: tag } },
    ],
  },
  {
    name: "CodeBuild",
    scripts: (tag) => [
      {
        lines: Object.values((examples[2] as BuildSpec).phases)
          .flatMap(({ commands }) => commands)
          .join("\n"),
        variables: { CODEBUILD_WEBHOOK_TRIGGER: `tag/${tag}` },
      },
    ],
  },
];

/** What a runner has, except the build: the demo's push makes the image. */
const runner = `set -e -o pipefail
npm() { :; }
docker() { :; }
lookout() { node bin/lookout.js "$@"; }
`;

let scratch: Scratch;
let server: Readonly<Record<string, string>>;

beforeAll(async () => {
  scratch = openScratch({});
  const lookout = scratch.start("npx lookout start --listen 127.0.0.1:0");
  const url = /http:[^"]+/.exec(await lookout.says(/"name":"Started"/))?.[0] ?? "";
  const made = await scratch.run("npx lookout token create ci --role operator --output json");
  server = { LOOKOUT_SERVER: url, LOOKOUT_TOKEN: (JSON.parse(made.stdout) as { readonly token: string }).token };
}, patience);

afterAll(() => scratch.close(), patience);

/** Runs the scripts of a pipeline until one fails. */
async function runPipeline(scripts: readonly Script[]) {
  let [said, code]: [string, number | null] = ["", 0];
  for (const { lines, variables } of scripts) {
    const ran = await scratch.run(runner + lines.replaceAll("registry.example.com/", "registry.demo/"), {
      ...{ GITHUB_OUTPUT: join(scratch.folder, "outputs") },
      ...Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, value.replace("registry.example.com/", "")]),
      ),
      ...server,
    });
    said += ran.stdout + ran.stderr;
    code = ran.code;
    if (code !== 0) break;
  }
  return { said, code };
}

describe.each(pipelines.map((pipeline, index) => ({ ...pipeline, tag: `1.${3 + index}.0` })))(
  "the example for $name",
  ({ scripts, tag }) => {
    it(
      "pushes an image, and ends well when it runs",
      async () => {
        const { said, code } = await runPipeline(scripts(tag));

        expect({ said, code }).toMatchObject({ code: 0 });
        expect(said).toContain(`pushed registry.demo/shop/api:${tag}`);
        expect(said).toMatch(new RegExp(`running, 3 pods[^]*${tag} @ [0-9a-f]{12}|succeeded after`));
      },
      patience,
    );

    it(
      "fails with 4 if the policy does not want the image",
      async () => {
        const { said, code } = await runPipeline(scripts("2.0.0"));

        expect({ said, code }).toMatchObject({ code: 4 });
        expect(said).toContain("2.0.0 is not wanted: semver ^1 does not select 2.0.0: it is outside the range.");
      },
      patience,
    );
  },
);

it("the action gives the result and the digest to later steps", () => {
  const lines = readFileSync(join(scratch.folder, "outputs"), "utf8").trim().split("\n");

  expect(lines).toEqual([
    "result=succeeded",
    expect.stringMatching(/^digest=sha256:[0-9a-f]{64}$/),
    "result=not-wanted",
    "digest=",
  ]);
});
