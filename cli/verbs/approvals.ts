import { randomBytes, randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { ApprovalsView, ApprovalView, VoteView } from "#contracts/api/approvals";
import { kubernetesName } from "#contracts/config/fields";
import { tokenHash } from "#domain/approval/people";
import { printableText } from "#domain/shared/shown-text";
import { type AddVerb, type Context, withExamples, withOutput } from "../context.ts";
import { type EndFlags, endOf, withEnd } from "../end-flags.ts";
import { exitCodes, Failure } from "../failure.ts";
import { workloadParams } from "../names.ts";
import { findWorkload, isKeyIn, type PlaceFlags, readScopes, scopeParameter } from "../scopes.ts";
import { type Answer, writeAnswer } from "../output.ts";
import { decidedText, renderApprovals, tokenText, waitingLines } from "../render/approvals.ts";
import { printable } from "../render/printable.ts";
import { paintMark, type Style } from "../render/style.ts";
import { problemFailure, type Server } from "../server.ts";
import { serverVerb } from "../server-verb.ts";
import { fitsSelector, type LabelTest, readSelector } from "../selector.ts";
import { readApprovals } from "../workloads.ts";
import { isConfirmed } from "../question.ts";
import type { World } from "../world.ts";

interface DecisionFlags extends PlaceFlags {
  readonly update?: number;
  readonly digest?: readonly string[];
  readonly why?: string;
}

interface ApproveFlags extends DecisionFlags {
  readonly all?: true;
  readonly selector?: readonly LabelTest[];
  readonly yes?: true;
}

type Decision = VoteView["decision"];
/** A decision with its reason. Only a rejection needs a reason. */
type Choice =
  | { readonly decision: "approve"; readonly why: string | undefined }
  | { readonly decision: "reject"; readonly why: string };

const formats = ["text", "json", "yaml"] as const;

/** `lookout approve [WORKLOAD]` */
const addApprove = serverVerb<[workload?: string], ApproveFlags>({
  name: "approve",
  description: "approve the waiting update of a workload",
  parameters: [["[workload]", "[cluster/]namespace/[kind/]name"]],
  options: (command) =>
    decisionOptions(command)
      .option("--why <text>", "the reason, which users see", readReason)
      .option("--all", "approve all updates that wait for you, after a question")
      .option("-l, --selector <labels>", "with --all: only workloads with these labels, such as app=web", readSelector)
      .option("--yes", "with --all: skip the question"),
  scope: "place",
  formats,
  wide: true,
  examples: [
    ["lookout approve shop/api --update 17", "approve only if this update still waits"],
    ["lookout approve shop/api --digest 4d5e6f708192", "approve only if the digest is unchanged"],
    ["lookout approve --all -l app=web", "list the updates, then approve them after a question"],
  ],
  async answer({ world, server, flags, style }, workload) {
    const own = await server.asPerson();
    if (flags.all === true) {
      if (workload !== undefined) throw wrong("--all approves every update that waits for you: remove the workload.");
      const chosen = await chooseAll(world, own, flags, (view) => renderApprovals(printable(view), style));
      const results = await approveAll(own, chosen, flags.why);
      const refused = results.filter((result) => result.kind === "refused");
      const last = refused.at(-1);
      const text = (): string => results.map((result) => resultText(result, style)).join("");
      return {
        value: {
          votes: results.flatMap((result) => (result.kind === "voted" ? result.vote : [])),
          refused: refused.map(({ approval, failure }) => ({ workload: approval.workload, why: failure.message })),
        },
        text: () => (results.length === 0 ? "No update waits for you.\n" : text()),
        ...(last === undefined ? {} : { exitCode: last.failure.exitCode }),
      };
    }
    if (workload === undefined) throw wrong("A workload is missing: add its name, or use --all.");
    const approval = await waitingUpdate(own, workload, "approve", flags);
    const view = await cast(own, approval, { decision: "approve", why: flags.why });
    return { value: view, text: () => decidedText(view, approval, style) };
  },
});

/** `lookout reject WORKLOAD` */
const addReject = serverVerb<[workload: string], DecisionFlags & { readonly why: string }>({
  name: "reject",
  description: "reject the waiting update of a workload; lookout approvals ask proposes its digests again",
  parameters: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) =>
    decisionOptions(command).requiredOption("--why <text>", "the reason, which users see", readReason),
  scope: "place",
  formats,
  wide: true,
  examples: [['lookout reject shop/api --why "breaks the invoices"', ""]],
  async answer({ server, flags, style }, workload) {
    const own = await server.asPerson();
    const approval = await waitingUpdate(own, workload, "reject", flags);
    const view = await cast(own, approval, { decision: "reject", why: flags.why });
    return { value: view, text: () => decidedText(view, approval, style) };
  },
});

/** `lookout approvals` */
const addList = serverVerb<[words: readonly string[]], PlaceFlags>({
  name: "approvals",
  description: "list the updates that wait for approval, your updates first",
  parameters: [["[scope...]", scopeParameter]],
  scope: "place",
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout approvals --wide", "show whole digests"],
    ["lookout approvals ask shop/api", "request approval again after a rejection or an expiry"],
    ["lookout approvals token ana", "make a person's token, and its hash for lookout.yaml"],
  ],
  async answer({ server, flags, style }, words) {
    const scopes = await readScopes(server, words, flags);
    const all = await readApprovals(await server.asPerson());
    const view = {
      ...all,
      approvals: all.approvals.filter(({ workload }) => scopes.some((scope) => isKeyIn(scope, workload))),
    };
    return {
      value: view,
      text: () => renderApprovals(printable(view), style),
      names: () => view.approvals.map(({ workload }) => workload),
    };
  },
});

/** `lookout approvals ask WORKLOAD` */
const addAsk = serverVerb<[workload: string], EndFlags>({
  name: "ask",
  description: "request approval again, after a rejection or an expiry",
  parameters: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: withEnd,
  formats,
  examples: [["lookout approvals ask shop/api", "propose a new update without approvals"]],
  async answer({ server, world, flags, style }, workload) {
    const key = await findWorkload(server, workload);
    const own = await server.asPerson();
    const view = await own.ask("askForApproval", {
      params: workloadParams(key),
      body: endOf(flags, world, own),
    });
    const isNothing = view.unblocked === 0 && !view.expired;
    const words = isNothing
      ? "no update was rejected, and no approval has expired."
      : "approval is requested again. Lookout evaluates the policy and proposes a new update.";
    return {
      value: view,
      text: () => `${paintMark(isNothing ? "!" : "✓", style)} ${key}: ${words}\n`,
      ...(isNothing ? { exitCode: exitCodes.notSo } : {}),
    };
  },
});

/** `lookout approvals token NAME` */
function addToken(group: Command, { world }: Context): void {
  const command = group
    .command("token")
    .description("make a person's token for a local Lookout, and print the token and its hash once")
    .argument("<name>", "the name of the person in lookout.yaml", readPerson);
  withExamples(withOutput(command, formats), [
    ["lookout approvals token ana", "save the token in the file of LOOKOUT_TOKEN_FILE"],
  ]);
  command.action(async (name: string) => {
    const token = `lookout-person-${randomBytes(32).toString("base64url")}`;
    const value = { name, token, tokenHash: tokenHash(token) };
    const answer: Answer = { value, text: () => tokenText(value) };
    await writeAnswer(world, command.optsWithGlobals<{ output: string }>().output, answer);
  });
}

export const addApprovals: AddVerb = (program, context) => {
  for (const addVerb of [addApprove, addReject, addList]) addVerb(program, context);
  const group = program.commands.find((command) => command.name() === "approvals");
  if (group === undefined) return;
  addAsk(group, context);
  addToken(group, context);
};

function decisionOptions(command: Command): Command {
  return command
    .option("--update <number>", "vote only if this update waits", readNumber)
    .option("--digest <digest>", "vote only if each image has one of these digests; repeatable", readDigest);
}

/** An update that a person votes on. */
type Shown = Pick<ApprovalView, "workload" | "uid" | "version" | "update" | "images" | "bindingHash">;

/**
 * Returns the update of a workload that the caller may decide.
 *
 * @throws Failure if a vote would be refused, or if the flags name another digest
 */
async function waitingUpdate(
  server: Server,
  text: string,
  decision: Decision,
  { update, digest, ...place }: DecisionFlags,
): Promise<Shown> {
  const params = workloadParams(await findWorkload(server, text, place));
  const parts = { params, query: { decision, update } };
  const view = await server.ask("mayVote", parts);
  if (!view.mayVote) throw problemFailure(view.why, view.why.status, { name: "mayVote", parts });
  const why = digestProblem(view, digest);
  if (why === undefined) return view;
  throw new Failure(exitCodes.refused, why, [
    ...waitingLines(view, view.deciders),
    "To see all waiting updates:  lookout approvals",
  ]);
}

/** The result of a vote on one update. */
type VoteResult =
  | { readonly kind: "voted"; readonly approval: ApprovalView; readonly vote: VoteView }
  | { readonly kind: "refused"; readonly approval: ApprovalView; readonly failure: Failure };

/** Votes on each update, and returns the results. A refused vote does not stop other votes. */
async function approveAll(
  server: Server,
  approvals: readonly ApprovalView[],
  why: string | undefined,
): Promise<readonly VoteResult[]> {
  const results: VoteResult[] = [];
  for (const approval of approvals)
    try {
      results.push({ kind: "voted", approval, vote: await cast(server, approval, { decision: "approve", why }) });
    } catch (error) {
      // If the server does not answer, the earlier results are shown, and no more votes are sent.
      if (!(error instanceof Failure)) throw error;
      results.push({ kind: "refused", approval, failure: error });
      if (error.exitCode !== exitCodes.refused) return results;
    }
  return results;
}

function resultText(result: VoteResult, style: Style): string {
  if (result.kind === "voted") return decidedText(result.vote, result.approval, style);
  return `${paintMark("✗", style)} ${result.approval.workload}: ${printableText(result.failure.message)}\n`;
}

/**
 * Returns all updates that wait for the caller and fit the selector. Asks the user first, except
 * with `--yes`.
 */
async function chooseAll(
  world: World,
  server: Server,
  { selector = [], yes }: ApproveFlags,
  render: (view: ApprovalsView) => string,
): Promise<readonly ApprovalView[]> {
  const view = await readApprovals(server);
  const chosen = view.approvals.filter(({ waitsForMe, labels }) => waitsForMe && fitsSelector(selector, labels));
  if (chosen.length === 0 || yes === true) return chosen;
  world.stderr.write(render({ ...view, approvals: chosen }));
  const question = `Approve ${chosen.length === 1 ? "this update" : `these ${chosen.length} updates`}?`;
  if (await isConfirmed(world, question)) return chosen;
  throw new Failure(exitCodes.notSo, "No update was approved.", ["To skip the question:  --yes"]);
}

/** Votes on the shown update. Votes once more if only the version of the record has changed. */
async function cast(server: Server, shown: Shown, choice: Choice): Promise<VoteView> {
  const { update, bindingHash } = shown;
  const params = workloadParams(shown.workload);
  const key = randomUUID();
  const send = ({ uid, version }: Shown): Promise<VoteView> => {
    const headers = { "if-match": `${uid}/${version}`, "idempotency-key": key };
    if (choice.decision === "reject")
      return server.ask("reject", { params, headers, body: { update, bindingHash, why: choice.why } });
    const why = choice.why === undefined ? {} : { why: choice.why };
    return server.ask("approve", { params, headers, body: { update, bindingHash, ...why } });
  };
  try {
    return await send(shown);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.refused) throw error;
    const again = await server.ask("mayVote", { params, query: { decision: choice.decision, update } });
    if (!again.mayVote || again.bindingHash !== bindingHash || again.version === shown.version) throw error;
    return send(again);
  }
}

function readReason(text: string): string {
  if (text.trim() !== "") return text;
  throw wrong("--why is empty: give a reason.");
}

function readNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw wrong(`--update "${text}" is not the number of an update.`);
}

/**
 * Returns the difference between the digests of the flags and of an update. Undefined if there is
 * no difference, or if the flags name no digest.
 */
function digestProblem({ workload, images }: Shown, digests: readonly string[] = []): string | undefined {
  const other = digests.find((digest) => !images.some((image) => beginsWith(image.digest, digest)));
  if (other !== undefined) return `The update of ${workload} does not have the digest ${other}.`;
  const unnamed = images.find((image) => !digests.some((digest) => beginsWith(image.digest, digest)));
  if (digests.length === 0 || unnamed === undefined) return undefined;
  return `--digest names no digest of container ${unnamed.container} of ${workload}. Repeat it for each image.`;
}

const fewestDigits = 12;

function readDigest(text: string, before: readonly string[] = []): readonly string[] {
  if (/^(?:sha(?:256|384|512):)?[0-9a-f]+$/.test(text) && text.replace(/^\w+:/, "").length >= fewestDigits)
    return [...before, text];
  throw wrong(`--digest "${text}" is not a digest: expected at least ${fewestDigits} hexadecimal digits.`);
}

function beginsWith(digest: string, written: string): boolean {
  return digest.startsWith(written) || digest.replace(/^\w+:/, "").startsWith(written);
}

function readPerson(text: string): string {
  if (kubernetesName.safeParse(text).success) return text;
  throw wrong(`"${text}" is not a name: expected lower-case letters, digits and dashes.`);
}

function wrong(sentence: string): Failure {
  return new Failure(exitCodes.wrongInput, sentence);
}
