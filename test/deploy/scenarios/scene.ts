import { setTimeout as sleep } from "node:timers/promises";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { clashesOf, type Resources } from "#test/lib/edits/identifiers";
import type { Cdk } from "../bed/cdk.ts";
import { type Deployment, stack } from "../bed/deployment.ts";
import type { RefusedCall } from "../bed/emulator.ts";
import { inventoryOf, type NamedResource, stackState, type StackState } from "../bed/inventory.ts";
import type { StackQueues } from "../bed/queues.ts";

/** What the scenarios of other files use. */
export interface Scene {
  readonly lookout: Deployment;
  readonly queues: StackQueues;
  /** Waits until a Deployment runs an image. */
  readonly untilRuns: (name: string, image: string) => Promise<void>;
  readonly putClockForward: (seconds: number) => Promise<void>;
}

/** Returns an image of the emulator's ECR, as Lookout writes it. */
export function imageOf({ lookout }: Pick<Scene, "lookout">, repository: string, tag: string, digest: string): string {
  return `${lookout.ecr.host}/shop/${repository}:${tag}@${digest}`;
}

/** Deploys while images of a Deployment are pushed each second. Returns when the Deployment runs the last image. */
export async function deployDuringPushes(scene: Scene, name: string, major: number, cdk: Cdk = scene.lookout.cdk) {
  const { lookout, queues, untilRuns } = scene;
  // Unlike AWS, the emulator kills running functions when their code changes. Their messages would
  // stay hidden for minutes.
  for (const queue of await queues.names())
    if (!/Kept|DeadLetter/.test(queue)) await queues.hideFor(new RegExp(`/${queue}$`), 5);
  const deploying = { done: false };
  const deployed = cdk.deploy().finally(() => (deploying.done = true));
  let last = "";
  for (let minor = 0; !deploying.done; minor += 1) {
    const tag = `${major}.${minor}.0`;
    last = imageOf(scene, name, tag, await lookout.ecr.push(`shop/${name}`, tag));
    await sleep(1_000);
  }
  const { outputs } = await deployed;
  // A sync starts every minute. It finds renamed clusters.
  await scene.putClockForward(61);
  await untilRuns(name, last);
  return outputs;
}

/** The outputs that other systems know. */
const addresses = [
  "apiUrl",
  "webhookUrl",
  "busArn",
  "accessRoleArn",
  "registryRoleArn",
  "alarmTopicArn",
  "keptQueueUrl",
] as const;

/** Returns the outputs of a stack that must stay. */
export function addressesIn(outputs: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(addresses.map((what) => [what, outputs[stackOutputs[what]]]));
}

/** Returns whether a resource is the schedule of a delayed command, which no template has. */
export const isOneShot = (resource: NamedResource): boolean => /^AWS::Scheduler::Schedule [0-9a-f]{64}$/.test(resource);

/** Returns everything in the account that the bootstrap stack and the stack do not have. */
export async function besideStacks({ emulator }: Deployment, state?: StackState): Promise<readonly NamedResource[]> {
  const bootstrap = await stackState(emulator.aws, "CDKToolkit");
  const known = new Set([...bootstrap.resources, ...(state?.resources ?? [])]);
  return (await inventoryOf(emulator.aws)).filter((resource) => !known.has(resource));
}

/**
 * Returns the calls that AWS would have refused, except those of functions whose role has changed before
 * their settings: they ask for a former resource for some seconds, and their messages come again.
 */
export async function faultsBeside({ emulator }: Deployment, former: RegExp): Promise<readonly RefusedCall[]> {
  const { faults } = await emulator.state();
  return faults.filter(({ member, why }) => !(former.test(member) && why === "no policy allows it"));
}

/** A comparison of a stack's template and resources with those before its last deployment, and with the account. */
export interface Comparison {
  /** Resources that AWS would refuse, because another resource has their identifier. */
  readonly clashes: readonly string[];
  /** Resources that stayed in the template, and were replaced. */
  readonly replaced: readonly string[];
  /** Resources that are only in the template. */
  readonly missing: readonly NamedResource[];
  /** Resources of the account that no template has. */
  readonly orphans: readonly NamedResource[];
  /** The EKS clusters of the access entries, by logical id. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Compares the stack as it is now with an earlier state. */
export async function comparedWith(before: StackState, lookout: Deployment): Promise<Comparison> {
  const after = await stackState(lookout.emulator.aws, stack);
  const all = new Set(await inventoryOf(lookout.emulator.aws));
  return {
    clashes: clashesOf(before.template, after.template),
    replaced: Object.keys(after.ids).filter((id) => id in before.ids && before.ids[id] !== after.ids[id]),
    missing: [
      ...Object.keys(after.template).filter((id) => !(id in after.ids)),
      ...after.resources.filter((resource) => !all.has(resource)),
    ],
    orphans: (await besideStacks(lookout, after)).filter((resource) => !isOneShot(resource)),
    entries: entriesIn(after.template),
  };
}

function entriesIn(template: Resources): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(template).flatMap(([id, { Type, Properties }]) =>
      Type === "AWS::EKS::AccessEntry" ? [[id, String(Properties?.["ClusterName"])]] : [],
    ),
  );
}
