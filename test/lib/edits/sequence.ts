/** Sequences of deployments with a random edit of lookout.yaml, or of a member account, before each. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, Stack } from "aws-cdk-lib";
import { LookoutMember } from "#lib/stack/lookout-member";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { chanceFrom } from "#test/model/chance";
import { noCode, testApp } from "../deployed.ts";
import { edit, type Edited, editMember, type EditedMember, home } from "./edit.ts";
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

/** Synthesizes the stack after each edit of lookout.yaml. The seed decides the edits. */
export function playEdits(seed: number): Sequence {
  const chance = chanceFrom(seed);
  const env = chance.happens(0.5) ? home : undefined;
  const folder = mkdtempSync(join(tmpdir(), "lookout-edits-"));
  try {
    const file: Edited = {
      clusters: [],
      receivers: [],
      accounts: [],
      alarms: { email: [] },
      channels: [],
      checks: [],
      tiers: [],
    };
    return play(file, { seed, edit: (one) => edit(one, chance), deploy: (one) => resourcesOf(one, env, folder) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Synthesizes the stack of a member account after each edit of its properties. */
export function playMemberEdits(seed: number): Sequence {
  const chance = chanceFrom(seed);
  const member: EditedMember = { clusterNames: [], clusterNamesWithoutEntry: [], readsLayers: false };
  return play(member, { seed, edit: (one) => editMember(one, chance), deploy: resourcesOfMember });
}

interface Play<Props> {
  readonly seed: number;
  readonly edit: (props: Props) => Props;
  /** Returns undefined if the stack has errors. */
  readonly deploy: (props: Props) => Resources | undefined;
}

function play<Props>(first: Props, { seed, edit, deploy }: Play<Props>): Sequence {
  let props = first;
  let before = deploy(first) ?? {};
  let deployed = 0;
  const faults: string[] = [];
  while (deployed < editsOfSequence) {
    const edited = edit(props);
    if (JSON.stringify(edited) === JSON.stringify(props)) continue;
    const after = deploy(edited);
    if (after === undefined) continue;
    const moved = idsOfState(before).join() === idsOfState(after).join() ? [] : ["the state moved"];
    for (const fault of [...moved, ...clashesOf(before, after)])
      faults.push(`seed ${seed}: ${fault}\n  before ${JSON.stringify(props)}\n  after ${JSON.stringify(edited)}`);
    [props, before, deployed] = [edited, after, deployed + 1];
  }
  return { deployed, faults };
}

function idsOfState(resources: Resources): readonly string[] {
  return Object.entries(resources).flatMap(([id, { Type }]) => (stateful.has(Type) ? [id] : []));
}

function resourcesOf(file: Edited, env: typeof home | undefined, folder: string): Resources | undefined {
  const configuration = join(folder, "lookout.yaml");
  writeFileSync(configuration, JSON.stringify(file));
  const app = testApp();
  const stack = new LookoutStack(app, "Lookout", {
    functions: noCode,
    settings: Settings.fromFile(configuration),
    ...(env === undefined ? {} : { env }),
  });
  return resourcesIn(app, stack);
}

function resourcesOfMember(member: EditedMember): Resources | undefined {
  const app = testApp();
  const stack = new Stack(app, "Member");
  new LookoutMember(stack, "Lookout", {
    busArn: `arn:aws:events:${home.region}:${home.account}:event-bus/LookoutBus`,
    accessRoleArn: `arn:aws:iam::${home.account}:role/Lookout-AccessRole`,
    registryRoleArn: `arn:aws:iam::${home.account}:role/Lookout-RegistryRole`,
    ...member,
  });
  return resourcesIn(app, stack);
}

function resourcesIn(app: App, { stackName }: Stack): Resources | undefined {
  const artifact = app.synth().getStackByName(stackName);
  if (artifact.messages.some(({ level }) => level.valueOf() === "error")) return undefined;
  return (artifact.template as { readonly Resources: Resources }).Resources;
}
