import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { Configuration } from "#contracts/config/configuration";
import { placeInAws } from "#contracts/config/secret-places";
import { secretsIn } from "#contracts/config/secrets";
import { lookoutVersion } from "#contracts/version";
import type { AccountFacts } from "#runtime/account-facts";
import type { StackFound } from "#runtime/stack";
import {
  bootstrapBeforeDeploy,
  boundaryBeforeDeploy,
  concurrencyBeforeDeploy,
  identityBeforeDeploy,
} from "../answers/account-checks.ts";
import { type BeforeDeploy, beforeDeploy } from "../answers/before-deploy.ts";
import { clusterBeforeDeploy, type OwnAccess, plannedClusters } from "../answers/cluster-checks.ts";
import type { DeployCheck } from "../answers/deploy-check.ts";
import { namesBeforeDeploy, queueNames } from "../answers/name-checks.ts";
import { secretBeforeDeploy } from "../answers/secret-checks.ts";
import { stackBeforeDeploy } from "../answers/stack-check.ts";
import { configurationBeforeDeploy } from "../configuration-before-deploy.ts";
import type { ServerFlags } from "../context.ts";
import { type ExitCode, exitCodes, Failure } from "../failure.ts";
import { stackAsked } from "../find-server.ts";
import type { Answer } from "../output.ts";
import { renderBeforeDeploy, renderStackBeforeDeploy } from "../render/before-deploy.ts";
import { printable } from "../render/printable.ts";
import type { Style } from "../render/style.ts";
import { findServer, type Server } from "../server.ts";
import { credentialsFailure, lookUpStack } from "../stack-place.ts";
import { readStoredForms } from "../stored-items.ts";
import type { World } from "../world.ts";

/** The flags of a check before a deployment. */
export interface BeforeDeployFlags {
  readonly beforeDeploy?: true;
  readonly config?: string;
}

/** Compares the running Lookout with this version of the command, which is about to start. */
export async function answerForms(server: Server, style: Style): Promise<Answer> {
  const view = await formsOf(server);
  return {
    value: view,
    text: () => renderBeforeDeploy(printable(view), server.label, style),
    names: () => unreadableKinds(view),
    exitCode: view.readsAll ? exitCodes.done : exitCodes.notSo,
  };
}

async function formsOf(server: Server): Promise<BeforeDeploy> {
  const [running, { kindForms }] = await Promise.all([readStoredForms(server), import("#runtime/stored-forms")]);
  return beforeDeploy(running, { version: lookoutVersion, kinds: kindForms });
}

function unreadableKinds({ kinds }: BeforeDeploy): readonly string[] {
  return kinds.flatMap(({ kind, unreadable }) => (unreadable.length === 0 ? [] : [kind]));
}

interface Input {
  readonly world: World;
  readonly flags: BeforeDeployFlags & ServerFlags;
  readonly style: Style;
}

/**
 * Checks the account, the files and the stored items before a deployment of a stack, also before
 * the first. Undefined if no stack is named.
 */
export async function answerStackBeforeDeploy({ world, flags, style }: Input): Promise<Answer | undefined> {
  const asked = flags.beforeDeploy === true ? stackAsked(world, flags) : undefined;
  if (asked === undefined) {
    if (flags.config === undefined) return undefined;
    throw new Failure(exitCodes.wrongInput, "--config needs --before-deploy and a stack.", [
      "For example:  lookout doctor --before-deploy --stack Lookout --config lookout.yaml",
    ]);
  }
  const stack = await lookUpStack(asked, world);
  const { region } = stack;
  if (region === undefined || !isCheckable(stack)) throw unusable(stack, asked.name);
  const name = plainName(asked.name);
  const { check: fileCheck, configuration } = await configurationBeforeDeploy(world, flags.config);
  const [account, stored] = await Promise.all([
    checkAccount(configuration, { name, region, stack }),
    checkForms(stack, world, flags),
  ]);
  const checks = [...account.slice(0, 1), stackBeforeDeploy(stack, { name, region }), fileCheck, ...account.slice(1)];
  const all = [...checks, ...stored.checks];
  const wrong = all.filter(({ verdict }) => verdict === "wrong");
  const { forms } = stored;
  const mayDeploy = wrong.length === 0 && stored.exitCode === undefined && forms?.readsAll !== false;
  const view = { checks: all, newVersion: lookoutVersion, ...forms };
  return {
    value: view,
    text: () =>
      renderStackBeforeDeploy(printable({ checks: all, ...(forms && { forms }) }), {
        mayDeploy,
        label: `The stack ${name} in ${region}, named by ${asked.source}`,
        style,
      }),
    names: () => [...new Set([...wrong.map(({ check }) => check), ...(forms ? unreadableKinds(forms) : [])])],
    exitCode: stored.exitCode ?? (mayDeploy ? exitCodes.done : exitCodes.notSo),
  };
}

/** Returns whether other checks may succeed. Without credentials, no check can. */
function isCheckable({ kind }: StackFound): boolean {
  return ["deployed", "not-found", "not-lookout", "denied", "unreachable", "failed"].includes(kind);
}

function unusable(stack: StackFound, name: string): Failure {
  if (stack.kind === "deployed" || stack.kind === "not-lookout" || stack.kind === "not-found")
    throw new Error(`the stack ${name} has no region`);
  return credentialsFailure(stack, `the stack ${name}`, "cloudformation:DescribeStacks");
}

/** Returns the name in the ARN of a stack. */
function plainName(asked: string): string {
  return asked.startsWith("arn:") ? (asked.split("/")[1] ?? asked) : asked;
}

interface Deployment {
  readonly name: string;
  readonly region: string;
  readonly stack: StackFound;
}

/** Returns the checks of the account. The first is the check of the identity. */
async function checkAccount(
  configuration: Configuration,
  { name, region, stack }: Deployment,
): Promise<readonly DeployCheck[]> {
  const { examineAccount } = await import("#runtime/account-facts");
  const accessRole = stack.kind === "deployed" ? stack.outputs[stackOutputs.accessRoleArn] : undefined;
  const { planned, others } = plannedClusters(configuration.clusters, region);
  const vpcs = [
    ...new Set(configuration.clusters.flatMap(({ eks, network }) => (eks && network ? [network.vpc] : []))),
  ];
  const names = queueNames(name, vpcs);
  const secrets = secretsIn(configuration)
    .filter(({ ref }) => ref !== undefined)
    .map((secret) => ({ ...secret, place: placeInAws(secret, name) }));
  const isThere = stack.kind === "deployed" || stack.kind === "not-lookout";
  const facts = await examineAccount({
    region,
    ...(isThere ? { deployed: { stack: name, ...(accessRole === undefined ? {} : { accessRole }) } } : {}),
    clusters: planned,
    places: secrets.map(({ place }) => place),
    queues: names,
  });
  const own = ownResources(facts, stack);
  const access: OwnAccess = { ...(accessRole === undefined ? {} : { accessRole }), ...own };
  return [
    identityBeforeDeploy(facts, region),
    bootstrapBeforeDeploy(facts, region),
    ...boundaryBeforeDeploy(facts, region),
    concurrencyBeforeDeploy(facts, {
      region,
      vpcs: vpcs.length,
      channels: configuration.channels,
      checks: configuration.checks,
    }),
    ...namesBeforeDeploy({ stack: name, region, names, ...own }, facts.queues),
    ...planned.flatMap((cluster, at) => {
      const found = facts.clusters[at];
      return found === undefined ? [] : clusterBeforeDeploy(cluster, found, access);
    }),
    ...others,
    ...secrets.flatMap((secret, at) => {
      const found = facts.secrets[at];
      return found === undefined ? [] : [secretBeforeDeploy(secret, found, region)];
    }),
  ];
}

/** Returns the stack's queues and access entries. Empty sets before the first deployment. */
function ownResources(
  { resources }: AccountFacts,
  stack: StackFound,
): { readonly ownUrls?: ReadonlySet<string>; readonly entriesOf?: ReadonlySet<string> } {
  if (stack.kind === "not-found") return { ownUrls: new Set(), entriesOf: new Set() };
  if (resources?.kind !== "resources") return {};
  const idsOf = (type: string) => resources.all.filter((one) => one.type === type).map(({ physicalId }) => physicalId);
  return {
    ownUrls: new Set(idsOf("AWS::SQS::Queue")),
    // An id contains the cluster's name: `PRINCIPAL|CLUSTER`, or `…:access-entry/CLUSTER/…`.
    entriesOf: new Set(idsOf("AWS::EKS::AccessEntry").flatMap((id) => id.split(/[|/]/))),
  };
}

interface FormsCheck {
  readonly checks: readonly DeployCheck[];
  readonly forms?: BeforeDeploy;
  readonly exitCode?: ExitCode;
}

/** Compares the stored items of a deployed stack. If a request fails, the result is a check, with its exit code. */
async function checkForms({ kind }: StackFound, world: World, flags: ServerFlags): Promise<FormsCheck> {
  if (kind !== "deployed") return { checks: [] };
  try {
    return { checks: [], forms: await formsOf(await findServer(world, flags)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const verdict = error.exitCode === exitCodes.refused ? "unchecked" : "wrong";
    const remedy = error.advice.length === 0 ? {} : { remedy: error.advice.join(" · ") };
    return {
      checks: [{ check: "stored items", verdict, detail: error.message, ...remedy }],
      exitCode: error.exitCode,
    };
  }
}
