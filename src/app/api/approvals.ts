import type {
  ApprovalsQuery,
  ApprovalsView,
  ApprovalView,
  approvalOperations,
  AskView,
  MayVoteQuery,
  MayVoteView,
  MeView,
  VoteView,
} from "#contracts/api/approvals";
import { problemOf } from "#contracts/problem";
import type { Asker } from "#domain/approval/asker";
import { decidersFor } from "#domain/approval/approvers";
import { type Credential, type Voter, voterOf } from "#domain/approval/people";
import type { ApprovalState } from "#domain/approval/state";
import type { Vote } from "#domain/approval/votes";
import { ok, problem, type Result } from "#domain/shared/result";
import { toIso } from "#domain/shared/time";
import { stateOf } from "#domain/update/approval";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { PendingUpdate, WorkloadRecord } from "#domain/update/states";
import { askAgain, type Ballot, type BallotRefusal, openUpdate, vote } from "#domain/update/vote";
import { workloadKey } from "#domain/workload/workload";
import { mapBounded } from "../shared/bounded.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { changedByOthersError, commit, maximumTries, sendNextCommands, settingsOf } from "../shared/records.ts";
import { askerOf } from "./asker.ts";
import { type Handlers, type ApiError, type Served } from "./handler.ts";
import { ownRemedies, waitView } from "./views.ts";
import { ofWorkload } from "./workloads.ts";

type ApprovalPorts = Pick<
  Ports,
  "store" | "clusters" | "queues" | "clock" | "limits" | "patterns" | "spending" | "defaults" | "approvalRules"
>;

/** Returns the handlers for approvals. */
export function approvalHandlers(served: Served): Handlers<typeof approvalOperations> {
  const { ports, credential, id } = served;
  return {
    readMe: () => meView(credential, ports),
    listApprovals: ({ query }) => listApprovals(query, credential, ports),
    mayVote: ({ params, query }) => ofWorkload(params, (key) => mayVote(key, query, { credential, id }, ports)),
    approve: ({ params, headers, body }) =>
      ofWorkload(params, (key) => castVote(key, { ...body, decision: "approve" }, headers, credential, ports)),
    reject: ({ params, headers, body }) =>
      ofWorkload(params, (key) => castVote(key, { ...body, decision: "reject" }, headers, credential, ports)),
    askForApproval: ({ params, body }) =>
      ofWorkload(params, (key) => askForApproval(key, askerOf(served, body.by), ports)),
  };
}

function meView(credential: Credential, { approvalRules }: ApprovalPorts): MeView {
  const voter = voterOf(credential, approvalRules);
  const arn = credential.kind === "iam" ? { arn: credential.arn } : {};
  if (voter === undefined) return { provedBy: credential.kind === "iam" ? "iam" : "nobody", ...arn };
  return { person: voter.person, provedBy: credential.kind === "iam" ? "iam" : "token", ...arn };
}

/** Lists the updates that wait for approval. The updates that the caller can approve come first. */
async function listApprovals(
  query: ApprovalsQuery,
  credential: Credential,
  ports: ApprovalPorts,
): Promise<ApprovalsView> {
  const me = voterOf(credential, ports.approvalRules)?.person;
  const records = await awaitingRecords(query, ports);
  const views = (await mapBounded(records, 16, (record) => approvalView(record, me, ports))).flatMap(
    (one) => one ?? [],
  );
  const { rows, end } = pageOf(views, (one) => `${one.waitsForMe ? "0" : "1"} ${one.workload}`, query);
  return { at: toIso(ports.clock.now()), ...(me === undefined ? {} : { me }), approvals: rows, ...end };
}

/** Reads only the records whose update has a request for approval. */
async function awaitingRecords(
  { cluster, namespace }: ApprovalsQuery,
  { store, clusters }: ApprovalPorts,
): Promise<readonly WorkloadRecord[]> {
  const names = clusters.names().filter((name) => cluster === undefined || name === cluster);
  const keys = (await Promise.all(names.map((name) => store.awaitingApproval(name)))).flat();
  const records = await store.readMany(keys);
  return records.filter(({ workload }) => namespace === undefined || workload.namespace === namespace);
}

async function approvalView(
  record: WorkloadRecord,
  me: string | undefined,
  ports: ApprovalPorts,
): Promise<ApprovalView | undefined> {
  const { pending } = record;
  if (pending === undefined) return undefined;
  const settings = await settingsOf(record, ports);
  const own = ownRemedies(record, settings, ports);
  const state = await stateNow(record, pending, settings, ports);
  if (state === undefined) return undefined;
  const { tally, request, requirement } = state;
  const isExpired = request.expiredAt !== undefined;
  const mayDecide = me !== undefined && requirement.deciders.includes(me) && !tally.approvedBy.includes(me);
  return {
    workload: workloadKey(record.workload),
    uid: record.uid,
    version: record.version,
    update: pending.seq,
    images: imagesIn(pending),
    bindingHash: request.bindingHash,
    requestedAt: toIso(request.askedAt),
    ...(request.until === undefined ? {} : { until: toIso(request.until) }),
    isExpired,
    approvedBy: tally.approvedBy,
    voidVotes: tally.voidOf,
    missing: tally.missing,
    deciders: requirement.deciders,
    waitsForMe: mayDecide && !isExpired && tally.missing.some(({ people }) => people.includes(me)),
    reasons: pending.waits.map((wait) => waitView(wait, own)),
    labels: record.observed.labels ?? {},
  };
}

function imagesIn({ changes }: Pick<PendingUpdate, "changes">): ApprovalView["images"] {
  return changes.map(({ name: container, from, imageName, tag, digest }) => {
    return { container, from, imageName, tag, digest };
  });
}

async function stateNow(
  record: WorkloadRecord,
  pending: PendingUpdate,
  settings: WorkloadSettings,
  ports: ApprovalPorts,
): Promise<ApprovalState | undefined> {
  const { approvalRules, clock } = ports;
  const votes = await ports.store.votes(workloadKey(record.workload), pending.seq);
  return stateOf(record, pending, { settings, facts: { votes, approvalRules } }, votes, { now: clock.now() });
}

/** The vote in the body of a request. */
interface Written {
  readonly update: number;
  readonly bindingHash: string;
  readonly decision: Vote["decision"];
  readonly why?: string;
}

interface VoteHeaders {
  readonly "if-match": string;
  readonly "idempotency-key"?: string;
}

/**
 * Stores a vote with the next version of the workload's record, then sends the commands that ask
 * the gates again.
 */
export async function castVote(
  key: string,
  { update: seq, bindingHash, decision, why }: Written,
  headers: VoteHeaders,
  credential: Credential,
  ports: ApprovalPorts,
): Promise<VoteView | ApiError | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  const voter = voterOf(credential, ports.approvalRules);
  if (voter === undefined) return refusal("no-right", await whyNobody(record, credential, ports), record, ports);
  const requestId = headers["idempotency-key"];
  const ballot: Ballot = {
    voter,
    decision,
    seq,
    bindingHash,
    ...(why === undefined ? {} : { why }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return store(record, ballot, headers["if-match"].replaceAll('"', ""), ports);
}

async function store(
  record: WorkloadRecord,
  ballot: Ballot,
  seen: string,
  ports: ApprovalPorts,
): Promise<VoteView | ApiError> {
  const { approvalRules, clock } = ports;
  const { voter, seq } = ballot;
  const key = workloadKey(record.workload);
  const settings = await settingsOf(record, ports);
  const votes = await ports.store.votes(key, seq);
  const step = { cause: `Vote:${seq}:${record.version}:${voter.person}`, now: clock.now() };
  const voted = vote(record, ballot, { settings, facts: { votes, approvalRules } }, step);
  if (!voted.ok) return refusal(voted.problem.reason, voted.problem.detail, record, ports);
  if (voted.value.kind === "repeated") {
    // An earlier request with this vote may have ended before it sent the next commands.
    if (record.vote?.person === voter.person) await sendNextCommands(record, ports);
    return voteView(key, voter, voted.value.vote, true);
  }
  if (seen !== `${record.uid}/${record.version}`)
    return refusal(
      "changed-meanwhile",
      `${key} has changed: its version is now ${record.uid}/${record.version}`,
      record,
      ports,
    );
  const { record: next } = voted.value;
  if (!(await commit(next, ports)) || next.vote === undefined)
    return refusal(
      "changed-meanwhile",
      `${key} changed at the same moment: read it again, and repeat the vote`,
      record,
      ports,
    );
  return voteView(key, voter, next.vote, false);
}

function voteView(workload: string, { person }: Voter, { binding, decision, at }: Vote, isRepeated: boolean): VoteView {
  return { workload, update: binding.seq, person, decision, at: toIso(at), isRepeated };
}

/** Tells whether a new vote of the caller would count now, or the problem with which it would be refused. */
async function mayVote(
  key: string,
  { decision, update }: MayVoteQuery,
  caller: Caller,
  ports: ApprovalPorts,
): Promise<MayVoteView | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  const { workload, uid, version } = record;
  const seq = update ?? newestUpdate(record);
  const judged = { workload: key, uid, version, update: seq, deciders: decidersFor(workload, ports.approvalRules) };
  const tried = await tryVote(record, { decision, seq }, caller, ports);
  if (tried.ok) return { ...judged, mayVote: true, ...tried.value };
  const { reason, detail } = tried.problem;
  const { now } = refusal(reason, detail, record, ports);
  return { ...judged, mayVote: false, why: problemOf(reason, detail, now) };
}

type Caller = Pick<Served, "credential" | "id">;

function newestUpdate({ pending, active, last }: WorkloadRecord): number {
  return (pending ?? active ?? last)?.seq ?? 1;
}

/** Decides about a new vote on an update's present images and settings, and stores nothing. */
async function tryVote(
  record: WorkloadRecord,
  { decision, seq }: Pick<Ballot, "decision" | "seq">,
  { credential, id: requestId }: Caller,
  ports: ApprovalPorts,
): Promise<Result<Pick<ApprovalView, "images" | "bindingHash">, BallotRefusal>> {
  const { approvalRules, clock, store } = ports;
  const voter = voterOf(credential, approvalRules);
  if (voter === undefined) return problem({ reason: "no-right", detail: await whyNobody(record, credential, ports) });
  const [settings, votes] = await Promise.all([
    settingsOf(record, ports),
    store.votes(workloadKey(record.workload), seq),
  ]);
  const inputs = { settings, facts: { votes, approvalRules } };
  const step = { cause: `MayVote:${seq}`, now: clock.now() };
  const update = openUpdate(record, seq);
  const state = update && stateOf(record, update, inputs, votes, step);
  // Without a request for approval, the vote is refused before its hash is compared.
  const bindingHash = state?.request.bindingHash ?? "";
  const voted = vote(record, { voter, decision, seq, bindingHash, requestId }, inputs, step);
  return voted.ok ? ok({ images: update === undefined ? [] : imagesIn(update), bindingHash }) : voted;
}

/** Returns why the caller is no person who can vote. */
async function whyNobody(record: WorkloadRecord, credential: Credential, ports: ApprovalPorts): Promise<string> {
  const remedy = ownRemedies(record, await settingsOf(record, ports), ports)["needs-approval"];
  const isWithoutPeople = remedy !== undefined && ports.approvalRules.people.length === 0;
  return isWithoutPeople ? `${noPeople}. ${remedy}` : notProved(credential);
}

const noPeople = "lookout.yaml names no people, so nobody can vote here";

function notProved(credential: Credential): string {
  switch (credential.kind) {
    case "iam":
      return `${credential.arn} is in no entry of people in lookout.yaml`;
    case "token":
      return "this token is in no entry of people in lookout.yaml";
    case "none":
      return "the request has no token of a person. Set LOOKOUT_TOKEN_FILE to the file with your token. To create a token: lookout approvals token NAME";
  }
}

/** Returns the refusal of a vote, with the pending update and the people who may decide. */
function refusal(
  kind: ApiError["kind"],
  detail: string,
  { workload, uid, version, pending }: WorkloadRecord,
  { approvalRules }: ApprovalPorts,
): ApiError {
  const images = pending?.changes.map(({ name: container, imageName, tag, digest }) => {
    return { container, imageName, tag, digest };
  });
  return {
    kind,
    detail,
    now: {
      etag: `${uid}/${version}`,
      ...(pending === undefined || images === undefined ? {} : { pending: { update: pending.seq, images } }),
      deciders: decidersFor(workload, approvalRules),
    },
  };
}

/**
 * Ends the rejection or expiry of an approval, and queues the evaluation that proposes the update
 * again.
 */
export async function askForApproval(
  key: string,
  asker: Asker,
  ports: ApprovalPorts,
): Promise<AskView | ApiError | undefined> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const record = await ports.store.read(key);
    if (record?.tracked !== true) return undefined;
    const step = { cause: `Ask:${record.version}`, now: ports.clock.now() };
    const asked = askAgain(record, asker, ports.approvalRules, step);
    if (!asked.ok) return refusal(asked.problem.reason, asked.problem.detail, record, ports);
    const next = asked.value;
    // A repeated request changes nothing.
    if (next === undefined) return { workload: key, unblocked: 0, expired: false };
    const unblocked = record.blocked.length - next.blocked.length;
    const view = { workload: key, unblocked, expired: record.pending !== undefined && next.pending === undefined };
    if (await commit(next, ports)) return view;
  }
  throw changedByOthersError(key, "asked for approval");
}
