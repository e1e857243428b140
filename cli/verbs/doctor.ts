import pLimit from "p-limit";
import type { CheckView } from "#contracts/api/doctor";
import { epochMs, seconds, since } from "#domain/shared/time";
import type { CallerSide, DeployedStack } from "#runtime/stack";
import { oldestBootstrap } from "../answers/account-checks.ts";
import { placeWords } from "../answers/secret-place.ts";
import { tableCheck } from "../answers/table-check.ts";
import { serverVerb } from "../server-verb.ts";
import { itemsIn, itemsText, readStoredForms } from "../stored-items.ts";
import { exitCodes, type ExitCode, Failure } from "../failure.ts";
import { counted } from "../render/counted.ts";
import { renderChecks } from "../render/doctor.ts";
import { printable } from "../render/printable.ts";
import { paintMark, type Style } from "../render/style.ts";
import type { Answer } from "../output.ts";
import type { Server } from "../server.ts";
import { readPages } from "../workloads.ts";
import { credentialsFailure } from "../stack-place.ts";
import type { World } from "../world.ts";
import { answerForms, answerStackBeforeDeploy, type BeforeDeployFlags } from "./doctor-before-deploy.ts";

/** `lookout doctor` */
export const addDoctor = serverVerb<[], BeforeDeployFlags & { readonly repair?: true }>({
  name: "doctor",
  description: "check Lookout and its surroundings, and send a synthetic push; exit 1 if a check fails",
  formats: ["table", "json", "yaml", "name"],
  options: (command) =>
    command
      .option(
        "--before-deploy",
        "run with the new version: only check whether it reads all stored items, and for a stack the account; exit 1 if not",
      )
      .option(
        "--config <file>",
        "with --before-deploy, the lookout.yaml of the stack (LOOKOUT_CONFIG; default: lookout.yaml)",
      )
      .option("--repair", "write again the rows of lists that differ from the records of workloads"),
  examples: [
    ["lookout doctor", "check the process of this directory"],
    ["lookout doctor --stack Lookout", "check a stack on AWS, and your access to it"],
    ["lookout doctor --repair", "write the rows of lists again from the records"],
    ["lookout doctor --before-deploy", "check that this version reads what the running version stored"],
    ["lookout doctor --before-deploy --stack Lookout", "check an account, also before the first deployment"],
  ],
  withoutServer: answerStackBeforeDeploy,
  async answer({ world, server, style, flags }) {
    if (flags.beforeDeploy === true) return answerForms(server, style);
    if (flags.repair === true) return answerRepair(server, style);
    const own = server.stack === undefined ? [] : await checkCallerSide(server.stack);
    const { checks: asked, exitCode } = await checkLookout(world, server);
    const checks = [...own, ...asked];
    const wrong = checks.filter(({ verdict }) => verdict === "wrong");
    return {
      value: { checks },
      text: () => renderChecks(printable(checks), server.label, style),
      names: () => wrong.map(({ check }) => check),
      exitCode: exitCode ?? (wrong.length === 0 ? exitCodes.done : exitCodes.notSo),
    };
  },
});

/** Repairs the derived rows, page by page. */
async function answerRepair(server: Server, style: Style): Promise<Answer> {
  const { all } = await readPages((query) => server.ask("repairRows", { query }));
  const groups = Map.groupBy(
    all.flatMap(({ rows }) => rows),
    ({ of }) => of,
  );
  const rows = [...groups].map(([of, pages]) => ({
    of,
    workloads: pages.reduce((sum, { workloads }) => sum + workloads, 0),
    repaired: pages.reduce((sum, { repaired }) => sum + repaired, 0),
  }));
  const lines = rows.map(
    ({ of, workloads, repaired }) =>
      `${paintMark("✓", style)} ${of}: ${repaired} of ${counted(workloads, "workload")} written again\n`,
  );
  return { value: { rows }, text: () => lines.join(""), names: () => rows.map(({ of }) => of) };
}

const concurrentClusterChecks = 10;

/**
 * Returns the checks of the server. If a request fails, the result is one failed check and the exit
 * code of the failure.
 */
async function checkLookout(
  world: World,
  server: Server,
): Promise<{ readonly checks: readonly CheckView[]; readonly exitCode?: ExitCode }> {
  try {
    const { checks, clusters } = await server.ask("examine");
    const ofClusters = await pLimit(concurrentClusterChecks).map(clusters, (name) => checkCluster(name, server));
    const stored = await checkStoredItems(server);
    return { checks: [...checks, ...stored, ...ofClusters, await checkPushes(world, server)] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { checks: [wrong("api", error)], exitCode: error.exitCode };
  }
}

/** The number of unreadable items that have a check of their own. */
const namedItems = 10;

/** Returns the check of all stored items, and a failed check for each of the first unreadable items. */
async function checkStoredItems(server: Server): Promise<readonly CheckView[]> {
  const check = "stored items";
  try {
    const { forms, kinds, unreadable, unreadableItems } = await readStoredForms(server);
    const all = itemsText(itemsIn(forms));
    if (unreadableItems === 0)
      return [{ check, verdict: "well", detail: `Lookout reads all ${all} of ${kinds.length} kinds` }];
    const named = unreadable.slice(0, namedItems).map(({ kind, partition, sortKey, why, remedy }): CheckView => {
      return { check: kind, verdict: "wrong", detail: `${partition}, ${sortKey} ${why}`, remedy };
    });
    const detail = `${unreadableItems} of ${all} can't be read`;
    const remedy = "To restore or delete an item: docs/upgrade.md, unreadable-items";
    return [{ check, verdict: "wrong", detail, remedy }, ...named];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [wrong(check, error)];
  }
}

/** Returns the check of a cluster. A failed request fails only the check of this cluster. */
async function checkCluster(name: string, server: Server): Promise<CheckView> {
  try {
    return await server.ask("examineCluster", { params: { cluster: name } });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return wrong(`cluster ${name}`, error);
  }
}

const pushTimeout = seconds(30);
const pollInterval = seconds(0.25);

async function checkPushes(world: World, server: Server): Promise<CheckView> {
  const check = "pushes";
  const { id, sentAt = "" } = await server.ask("sendSyntheticPush");
  const from = world.now();
  while (since(from, world.now()) < pushTimeout) {
    const { arrivedAt } = await server.ask("readProbe", { params: { probe: id } });
    if (arrivedAt !== undefined) {
      const took = since(epochMs(Date.parse(sentAt)), epochMs(Date.parse(arrivedAt)));
      return { check, verdict: "well", detail: `Lookout evaluated a synthetic push after ${took} ms` };
    }
    await world.pause(pollInterval);
  }
  return {
    check,
    verdict: "wrong",
    detail: `Lookout did not evaluate a synthetic push within ${pushTimeout / 1_000} s`,
    remedy: "Check the log of evaluate/image-pushed and its queue.",
  };
}

async function checkCallerSide(stack: DeployedStack): Promise<readonly CheckView[]> {
  const { examineCallerSide } = await import("#runtime/stack");
  const side = await examineCallerSide(stack);
  return [
    ...[
      identityCheck(side, stack),
      stackCheck(stack),
      bootstrapCheck(side, stack),
      tableCheck(side.table),
      keptCheck(side, stack),
    ],
    ...side.secrets.map((secret) => secretCheck(secret, stack)),
  ];
}

function identityCheck({ identity }: CallerSide, { account, region }: DeployedStack): CheckView {
  const check = "identity";
  if (identity.kind !== "identity")
    return wrong(check, credentialsFailure({ ...identity, region }, "your identity", "sts:GetCallerIdentity"));
  const { arn } = identity;
  if (identity.account === account) return { check, verdict: "well", detail: `you are ${arn}` };
  return { check, verdict: "doubtful", detail: `you are ${arn}, and the stack is in account ${account}` };
}

function stackCheck({ name, region, status }: DeployedStack): CheckView {
  const check = "stack";
  const detail = `${name} in ${region} is ${status}`;
  if (/^(?:CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return { check, verdict: "well", detail };
  const remedy = `aws cloudformation describe-stack-events --stack-name ${name} --region ${region}`;
  const verdict = status.endsWith("_IN_PROGRESS") || status === "UPDATE_ROLLBACK_COMPLETE" ? "doubtful" : "wrong";
  return { check, verdict, detail, remedy: `To see the stack's events:  ${remedy}` };
}

function bootstrapCheck({ bootstrap }: CallerSide, { account, region }: DeployedStack): CheckView {
  const check = "bootstrap";
  const remedy = `Before the next deploy:  npx cdk bootstrap aws://${account}/${region}`;
  if (bootstrap.kind === "not-bootstrapped")
    return { check, verdict: "doubtful", detail: `${region} has no CDK bootstrap stack with the default name`, remedy };
  if (bootstrap.kind !== "version")
    return { check, verdict: "doubtful", detail: `the CDK bootstrap stack can't be read: ${bootstrap.detail}` };
  return bootstrap.version >= oldestBootstrap
    ? { check, verdict: "well", detail: `the CDK bootstrap stack has version ${bootstrap.version}` }
    : { check, verdict: "wrong", detail: `the CDK bootstrap stack has version ${bootstrap.version}: too old`, remedy };
}

/**
 * Returns the check of the kept messages. If the caller may not read the queue, the check is
 * `doubtful`, not `wrong`.
 */
function keptCheck({ kept }: CallerSide, { region }: DeployedStack): CheckView {
  const check = "kept messages";
  if (kept.kind === "no-queue")
    return {
      check,
      verdict: "doubtful",
      detail: "the stack has no queue of kept messages: another version deployed it",
      remedy: "Deploy the stack with this version.",
    };
  if (kept.kind !== "counted")
    return {
      check,
      verdict: "doubtful",
      detail: `the queue of kept messages can't be read: ${kept.detail}`,
      remedy: `You need sqs:GetQueueAttributes on ${kept.url}`,
    };
  const { messages, url } = kept;
  if (messages === 0) return { check, verdict: "well", detail: "Lookout keeps no message for you" };
  const read = `aws sqs receive-message --region ${region} --visibility-timeout 0 --message-attribute-names All --queue-url ${url}`;
  const detail = `Lookout does not retry ${messages === 1 ? "a message" : `${messages} messages`}`;
  const remedy = `To read a message:  ${read} · To retry or delete messages: docs/runbook.md, messages-kept`;
  return { check, verdict: "wrong", detail, remedy };
}

function secretCheck({ receiver, place, found }: CallerSide["secrets"][0], { region }: DeployedStack): CheckView {
  const check = `receiver ${receiver}`;
  const { what, store, right } = placeWords(place, region);
  if (found.kind === "there") return { check, verdict: "well", detail: `${what} exists` };
  if (found.kind === "missing")
    return {
      check,
      verdict: "wrong",
      detail: `${what} is missing, so all webhooks are rejected`,
      remedy: `To store it:  ${store}`,
    };
  const detail = `${what} can't be checked: ${found.detail}`;
  return { check, verdict: "doubtful", detail, remedy: `You need ${right}.` };
}

function wrong(check: string, { message, advice }: Failure): CheckView {
  const remedy = advice.length === 0 ? {} : { remedy: advice.join(" · ") };
  return { check, verdict: "wrong", detail: message, ...remedy };
}
