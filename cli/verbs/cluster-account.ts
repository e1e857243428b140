import { relative } from "node:path";
import type { Command } from "commander";
import { accessName } from "#contracts/kubernetes/access";
import { parseDuration } from "#domain/shared/duration";
import { type DurationMs, minutes } from "#domain/shared/time";
import type { AccountPlace } from "#runtime/local/account/files";
import type { AccountRefusal } from "#runtime/local/account/refusal";
import type { ConfiguredKinds } from "#runtime/local/configured-kinds";
import { type AddVerb, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { clusterManifests } from "../manifests/cluster-manifests.ts";
import { type Answer, writeAnswer } from "../output.ts";
import { isConfirmed } from "../question.ts";
import { renderAddPlan, renderAdded, renderRemovePlan } from "../render/cluster-account.ts";
import { printable } from "../render/printable.ts";
import { paintMark, type Style } from "../render/style.ts";
import type { World } from "../world.ts";

/** The flags of the verbs about Lookout's account in a cluster. */
export interface AccountFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly config?: string;
  readonly data?: string;
  readonly namespace?: string;
  readonly tokenLife?: string;
  readonly definitions?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly output: string;
}

/** Adds the options of the user's kubeconfig and of `lookout.yaml`. */
export function withAccount(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "your own kubeconfig, with an admin's rights (KUBECONFIG; default: ~/.kube/config)")
    .option("--context <name>", "the context in the kubeconfig (default: the current context)")
    .option("--config <file>", "the lookout.yaml (default: ./lookout.yaml)");
}

/** Creates Lookout's account in a cluster, after a question. */
export async function addAccount(world: World, style: Style, flags: AccountFlags, name: string): Promise<Answer> {
  const { planAdd } = await import("#runtime/local/account/add");
  const namespace = flags.namespace ?? accessName;
  const configured = await kindsOf(world, flags);
  const definitions = flags.definitions === true || configured.definitions;
  const plan = await planAdd(
    {
      name,
      ...adminOf(flags),
      namespace,
      account: accessName,
      objects: objectsOf({ namespace, name: accessName }, { ...configured, definitions }),
      definitions,
      tokenLife: tokenLife(flags.tokenLife ?? "30d"),
    },
    placeOf(world, flags),
    new AbortController().signal,
  );
  if (plan.kind === "refused") throw failureOf(plan);
  try {
    const { host, context, objects, hasEntry } = plan;
    const lookoutYaml = shown(world, plan.lookoutYaml);
    const kubeconfig = shown(world, plan.kubeconfig);
    const place = { cluster: name, host, context, lookoutYaml, kubeconfig, namespace, hasEntry };
    const kinds = definitions ? { definitions, countsDefinitions: configured.definitions } : {};
    const view = { ...place, ...kinds, objects };
    const text = renderAddPlan(printable(view));
    if (flags.dryRun === true) return { value: view, text: () => `${text}Nothing was created (--dry-run).\n` };
    await confirm(world, flags, text, `Create this in the cluster of the context ${context}?`, "Nothing was created.");
    const done = await plan.carryOut();
    if (done.kind === "refused") throw failureOf(done);
    const { check } = done;
    return {
      value: { ...view, check },
      text: () => renderAdded(printable({ ...view, check }), style),
      exitCode:
        check.problem !== undefined
          ? exitCodes.unreachable
          : check.missing.length > 0
            ? exitCodes.refused
            : exitCodes.done,
    };
  } finally {
    await plan.close();
  }
}

/** Undoes {@link addAccount}, after a question. */
export async function removeAccount(
  world: World,
  style: Style,
  flags: AccountFlags & { readonly keepClusterObjects?: true },
  name: string,
): Promise<Answer> {
  const { planRemove } = await import("#runtime/local/account/remove");
  const keepObjects = flags.keepClusterObjects === true;
  // The kinds of definitions stay, because their objects would be gone with them.
  const configured = { ...(await kindsOf(world, flags)), definitions: false };
  const plan = await planRemove(
    { name, ...adminOf(flags), keepObjects, objects: (account) => objectsOf(account, configured) },
    placeOf(world, flags),
    new AbortController().signal,
  );
  if (plan.kind === "refused") throw failureOf(plan);
  try {
    const { deleted, kept, leftovers } = plan;
    const lookoutYaml = shown(world, plan.lookoutYaml);
    const kubeconfig = shown(world, plan.kubeconfig);
    const view = { cluster: name, lookoutYaml, kubeconfig, deleted, kept, ...(leftovers && { leftovers }) };
    const text = renderRemovePlan(printable(view), style);
    const names = (): readonly string[] => [name];
    if (flags.dryRun === true) return { value: view, names, text: () => `${text}Nothing was removed (--dry-run).\n` };
    await confirm(world, flags, text, "Remove this?", "Nothing was removed.");
    const done = await plan.carryOut();
    if (done.kind === "refused") throw failureOf(done);
    return { value: view, names, text: () => `${paintMark("✓", style)} Cluster ${name} is removed.\n` };
  } finally {
    await plan.close();
  }
}

/** `lookout cluster renew NAME` */
export const addClusterRenew: AddVerb = (group, { world }) => {
  const command = withAccount(
    group
      .command("renew")
      .description(
        "renew the token of a cluster's account; lookout start does this by itself at half of the token's life",
      )
      .argument("<name>", "the cluster's name in lookout.yaml"),
  )
    .option("--data <folder>", "the state folder (LOOKOUT_DATA; default: ./.lookout)")
    .action(async (name: string) => {
      const flags = command.optsWithGlobals<AccountFlags>();
      const { renewToken } = await import("#runtime/local/account/renew");
      const renewed = await renewToken(name, adminOf(flags), placeOf(world, flags), new AbortController().signal);
      if (renewed.kind === "refused") throw failureOf(renewed);
      const tokenFile = shown(world, renewed.tokenFile);
      const until = renewed.until === undefined ? undefined : new Date(renewed.until).toISOString();
      const mark = paintMark("✓", styleOf(world));
      const text = `${mark} The token of cluster ${name} is renewed${until === undefined ? "" : `, and valid until ${until}`}.\n`;
      await writeAnswer(world, flags.output, {
        value: { cluster: name, tokenFile, ...(until === undefined ? {} : { until }) },
        text: () => text,
      });
    });
  withExamples(withOutput(command, ["text", "json", "yaml"]), [
    ["lookout cluster renew prod", "renew with the account's own rights"],
    ["lookout cluster renew prod --context prod-admin", "renew with your rights, after the token has expired"],
  ]);
};

async function kindsOf(world: World, { config }: AccountFlags): Promise<ConfiguredKinds> {
  const { configuredKinds } = await import("#runtime/local/configured-kinds");
  // The plan reports an invalid file.
  return configuredKinds(world, config).catch(() => ({ kinds: [], definitions: false }));
}

/** Returns the objects of an account, with the configured kinds. */
function objectsOf(account: { readonly namespace: string; readonly name: string }, configured: ConfiguredKinds) {
  const subjects = [{ kind: "ServiceAccount", ...account }] as const;
  const rights = { deletePods: false, readNodes: false, renewTokens: true } as const;
  const manifests = clusterManifests({ subjects, ...rights, ...configured });
  return manifests.map(({ object }) => object);
}

function adminOf({ kubeconfig, context }: AccountFlags) {
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

function placeOf({ cwd, environment }: World, { config, data }: AccountFlags): AccountPlace {
  return { cwd, environment, ...(config === undefined ? {} : { config }), ...(data === undefined ? {} : { data }) };
}

/** Returns a path relative to the working directory, if it is inside. */
function shown({ cwd }: World, path: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith("..") ? path : inside;
}

/** The shortest life that the API server accepts. */
const shortestTokenLife = minutes(10);

function tokenLife(text: string): DurationMs {
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.value >= shortestTokenLife) return parsed.value;
  throw new Failure(exitCodes.wrongInput, `--token-life "${text}" is not possible: expected at least 10m.`, [
    "For example: 24h, 30d",
  ]);
}

/** Shows the plan and asks. @throws Failure if the user does not agree */
async function confirm(
  world: World,
  { yes }: AccountFlags,
  plan: string,
  question: string,
  refused: string,
): Promise<void> {
  world.stderr.write(plan);
  if (yes === true || (await isConfirmed(world, question))) return;
  throw new Failure(exitCodes.notSo, refused, ["To skip the question:  --yes"]);
}

const exitCodesOf = {
  input: exitCodes.wrongInput,
  rights: exitCodes.refused,
  cluster: exitCodes.unreachable,
} as const;

function failureOf({ by, sentence, advice }: AccountRefusal): Failure {
  return new Failure(exitCodesOf[by], sentence, advice);
}
