/** Sequences of deployments with a random edit of lookout.yaml before each. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { chanceFrom } from "#test/model/chance";
import { noCode, testApp } from "../deployed.ts";
import { edit, type Edited, home } from "./edit.ts";
import { clashesOf, type Resources } from "./identifiers.ts";

const editsOfSequence = 10;

/** The state of an installation, which must never move to another resource. */
const stateful = new Set(["AWS::ApiGatewayV2::Api", "AWS::DynamoDB::GlobalTable", "AWS::Events::EventBus"]);

/** The result of a sequence. */
export interface Sequence {
  /** The number of deployed edits. Rejected edits are not deployed, as `cdk deploy` refuses them. */
  readonly deployed: number;
  /** The faults of deployments, each with the edited file. */
  readonly faults: readonly string[];
}

/** Synthesizes the stack after each edit of a sequence. The seed decides the edits. */
export function playEdits(seed: number): Sequence {
  const chance = chanceFrom(seed);
  const env = chance.happens(0.5) ? home : undefined;
  const folder = mkdtempSync(join(tmpdir(), "lookout-edits-"));
  try {
    let file: Edited = { clusters: [], receivers: [], accounts: [], alarms: { email: [] } };
    let before = resourcesOf(file, env, folder) ?? {};
    let deployed = 0;
    const faults: string[] = [];
    while (deployed < editsOfSequence) {
      const edited = edit(file, chance);
      if (JSON.stringify(edited) === JSON.stringify(file)) continue;
      const after = resourcesOf(edited, env, folder);
      if (after === undefined) continue;
      const moved = idsOfState(before).join() === idsOfState(after).join() ? [] : ["the state moved"];
      for (const fault of [...moved, ...clashesOf(before, after)])
        faults.push(`seed ${seed}: ${fault}\n  before ${JSON.stringify(file)}\n  after ${JSON.stringify(edited)}`);
      [file, before, deployed] = [edited, after, deployed + 1];
    }
    return { deployed, faults };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function idsOfState(resources: Resources): readonly string[] {
  return Object.entries(resources).flatMap(([id, { Type }]) => (stateful.has(Type) ? [id] : []));
}

/** Returns the resources of the stack for a file. Undefined if the stack has errors. */
function resourcesOf(file: Edited, env: typeof home | undefined, folder: string): Resources | undefined {
  const configuration = join(folder, "lookout.yaml");
  writeFileSync(configuration, JSON.stringify(file));
  const app = testApp();
  const { stackName } = new LookoutStack(app, "Lookout", {
    functions: noCode,
    settings: Settings.fromFile(configuration),
    ...(env === undefined ? {} : { env }),
  });
  const artifact = app.synth().getStackByName(stackName);
  if (artifact.messages.some(({ level }) => level.valueOf() === "error")) return undefined;
  return (artifact.template as { readonly Resources: Resources }).Resources;
}
