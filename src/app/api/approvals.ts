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
import { stateOf } from "#domain/update/decide/approval";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { PendingUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { askAgain, type Ballot, type BallotRefusal, openUpdate, vote } from "#domain/update/decide/vote";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { mapBounded } from "../shared/bounded.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { sendNextCommands } from "../shared/send-commands.ts";
import { leave, storeThen, type Turn } from "../shared/turn.ts";
import { askerOf } from "./asker.ts";
import { type Handlers, type ApiError, type Served } from "./handler.ts";
import { tokenView } from "./tokens.ts";
import { ownRemedies, waitView } from "./views.ts";
import { ofWorkload } from "./workloads.ts";

/** Returns the handlers for approvals. */
export function approvalHandlers(served: Served): Handlers<typeof approvalOperations> {
  const { ports, credential, id } = served;
  return {
    readMe: () => meView(served),
    listApprovals: ({ query }) => listApprovals(query, credential, ports),
    mayVote: ({ params, query }) => ofWorkload(params, (key) => mayVote(key, query, { credential, id }, ports)),
    approve: ({ params, headers, body }) =>
      ofWorkload(params, (_, workload) =>
        castVote(workload, { ...body, decision: "approve" }, headers, credential, ports),
      ),
    reject: ({ params, headers, body }) =>
      ofWorkload(params, (_, workload) =>
        castVote(workload, { ...body, decision: "reject" }, headers, credential, ports),
      ),
    askForApproval: ({ params, body }) =>
      ofWorkload(params, (_, workload) => askForApproval(workload, askerOf(served, body.by, body.why), ports)),
  };
}

function meView({ credential, access: { token }, ports: { rules } }: Served): MeView {
  const voter = voterOf(credential, rules.approvals);
  if (token !== undefined)
    return { ...(voter === undefined ? {} : { person: voter.person }), provedBy: "token", token: tokenView(token) };
  const arn = credential.kind === "iam" ? { arn: credential.arn } : {};
  if (voter === undefined) return { provedBy: credential.kind === "iam" ? "iam" : "nobody", ...arn };
  return { person: voter.person, provedBy: credential.kind === "iam" ? "iam" : "token", ...arn };
}

/** Lists the updates that wait for approval. The updates that the caller can approve come first. */
async function listApprovals(query: ApprovalsQuery, credential: Credential, ports: Ports): Promise<ApprovalsView> {
  const me = voterOf(credential, ports.rules.approvals)?.person;
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
  { store, clusters }: Ports,
): Promise<readonly WorkloadRecord[]> {
  const names = clusters.names().filter((name) => cluster === undefined || name === cluster);
  const keys = (await Promise.all(names.map((name) => store.awaitingApproval(name)))).flat();
  const records = await store.readMany(keys);
  return records.filter(({ workload }) => namespace === undefined || workload.namespace === namespace);
}

async function approvalView(
  record: WorkloadRecord,
  me: string | undefined,
  ports: Ports,
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
  ports: Ports,
): Promise<ApprovalState | undefined> {
  const {
    clock,
    rules: { approvals: approvalRules },
  } = ports;
  const votes = await ports.store.votes(workloadKey(record.workload), pending.seq);
  return stateOf(record, pending, { settings, facts: { votes, approvalRules } }, votes, clock.now());
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
  workload: WorkloadName,
  written: Written,
  headers: VoteHeaders,
  credential: Credential,
  ports: Ports,
): Promise<VoteView | ApiError | undefined> {
  const voter = voterOf(credential, ports.rules.approvals);
  const cause = ({ version }: WorkloadRecord) => `Vote:${written.update}:${version}:${voter?.person ?? ""}`;
  return decide<VoteView | ApiError | undefined>({ workload, cause, doing: "voted on" }, ports, async (record) => {
    if (!record.tracked) return leave(undefined);
    const settings = await settingsOf(record, ports);
    if (voter === undefined)
      return leave(refusal("no-right", whyNobody(record, settings, credential, ports), record, ports));
    return count(record, settings, ballotOf(voter, written, headers), headers["if-match"].replaceAll('"', ""), ports);
  });
}

function ballotOf(voter: Voter, { update: seq, bindingHash, decision, why }: Written, headers: VoteHeaders): Ballot {
  const requestId = headers["idempotency-key"];
  return {
    voter,
    decision,
    seq,
    bindingHash,
    ...(why === undefined ? {} : { why }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Counts a ballot. `seen` is the version that the voter has seen. */
async function count(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  ballot: Ballot,
  seen: string,
  ports: Ports,
): Promise<Turn<VoteView | ApiError>> {
  const {
    clock,
    rules: { approvals: approvalRules },
  } = ports;
  const { voter, seq } = ballot;
  const key = workloadKey(record.workload);
  const votes = await ports.store.votes(key, seq);
  const now = clock.now();
  const voted = vote(record, ballot, { settings, facts: { votes, approvalRules } }, now);
  if (!voted.ok) return leave(refusal(voted.problem.reason, voted.problem.detail, record, ports));
  if (voted.value.kind === "repeated") {
    // An earlier request with this vote may have ended before it sent the next commands.
    if (record.effects.vote?.person === voter.person) await sendNextCommands(record, ports);
    return leave(voteView(key, voter, voted.value.vote, true));
  }
  const version = `${record.uid}/${record.version}`;
  if (seen !== version) {
    const detail = `${key} has changed: its version is now ${version}`;
    return leave(refusal("changed-meanwhile", detail, record, ports));
  }
  const { decision, vote: cast } = voted.value;
  return storeThen(record, decision, now, () => voteView(key, voter, cast, false));
}

function voteView(workload: string, { person }: Voter, { binding, decision, at }: Vote, isRepeated: boolean): VoteView {
  return { workload, update: binding.seq, person, decision, at: toIso(at), isRepeated };
}

/** Tells whether a new vote of the caller would count now, or the problem with which it would be refused. */
async function mayVote(
  key: string,
  { decision, update }: MayVoteQuery,
  caller: Caller,
  ports: Ports,
): Promise<MayVoteView | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  const { workload, uid, version } = record;
  const seq = update ?? newestUpdate(record);
  const judged = { workload: key, uid, version, update: seq, deciders: decidersFor(workload, ports.rules.approvals) };
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
  ports: Ports,
): Promise<Result<Pick<ApprovalView, "images" | "bindingHash">, BallotRefusal>> {
  const approvalRules = ports.rules.approvals;
  const voter = voterOf(credential, approvalRules);
  const settings = await settingsOf(record, ports);
  if (voter === undefined)
    return problem({ reason: "no-right", detail: whyNobody(record, settings, credential, ports) });
  const votes = await ports.store.votes(workloadKey(record.workload), seq);
  const inputs = { settings, facts: { votes, approvalRules } };
  const now = ports.clock.now();
  const update = openUpdate(record, seq);
  const state = update && stateOf(record, update, inputs, votes, now);
  // Without a request for approval, the vote is refused before its hash is compared.
  const bindingHash = state?.request.bindingHash ?? "";
  const voted = vote(record, { voter, decision, seq, bindingHash, requestId }, inputs, now);
  return voted.ok ? ok({ images: update === undefined ? [] : imagesIn(update), bindingHash }) : voted;
}

/** Returns why the caller is no person who can vote. */
function whyNobody(record: WorkloadRecord, settings: WorkloadSettings, credential: Credential, ports: Ports): string {
  const remedy = ownRemedies(record, settings, ports)["needs-approval"];
  const isWithoutPeople = remedy !== undefined && ports.rules.approvals.people.length === 0;
  return isWithoutPeople ? `${noPeople}. ${remedy}` : notProved(credential);
}

const noPeople = "lookout.yaml names no people, so nobody can vote here";

function notProved(credential: Credential): string {
  switch (credential.kind) {
    case "iam":
      return `${credential.arn} is in no entry of people in lookout.yaml`;
    case "token":
      return "this token is in no entry of people in lookout.yaml";
    case "personal-token":
      return `the token of ${credential.name} is in no entry of people in lookout.yaml: add the entry { name: ${credential.name}, token: ${credential.name} }`;
    case "none":
      return "the request has no token of a person. Set LOOKOUT_TOKEN_FILE to the file with your token. To create a token: lookout approvals token NAME";
  }
}

/** Returns the refusal of a vote, with the pending update and the people who may decide. */
function refusal(
  kind: ApiError["kind"],
  detail: string,
  { workload, uid, version, pending }: WorkloadRecord,
  { rules: { approvals: approvalRules } }: Ports,
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
  workload: WorkloadName,
  asker: Asker,
  ports: Ports,
): Promise<AskView | ApiError | undefined> {
  const cause = ({ version }: WorkloadRecord) => `Ask:${version}`;
  const deciding = { workload, cause, doing: "asked for approval" };
  return decide<AskView | ApiError | undefined>(deciding, ports, (record) => {
    if (!record.tracked) return leave(undefined);
    const now = ports.clock.now();
    const asked = askAgain(record, asker, ports.rules.approvals, now);
    if (!asked.ok) return leave(refusal(asked.problem.reason, asked.problem.detail, record, ports));
    const key = workloadKey(workload);
    // A repeated request changes nothing.
    if (asked.value === undefined) return leave({ workload: key, unblocked: 0, expired: false });
    return storeThen(record, asked.value, now, (next) => {
      const unblocked = record.blocked.length - next.blocked.length;
      return { workload: key, unblocked, expired: record.pending !== undefined && next.pending === undefined };
    });
  });
}
