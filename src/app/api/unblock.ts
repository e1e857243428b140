import type { UnblockRequest, UnblockView } from "#contracts/api/workloads";
import { type Asker, mayLiftRejections } from "#domain/approval/asker";
import { decidersFor } from "#domain/approval/approvers";
import { printableText, shortened } from "#domain/shared/shown-text";
import { isRejection, type WorkloadRecord } from "#domain/update/state/workload";
import {
  digestsNamed,
  freedBy,
  type HeldDigest,
  heldDigests,
  unblock,
  type Unblocking,
} from "#domain/update/decide/unblock";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { decide } from "../decide.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { type ApiError, notFound } from "./handler.ts";

/**
 * Ends the hold of a workload, unblocks its digests, or does the part that the request names. The
 * policies are evaluated again.
 *
 * @returns undefined for a workload that is not tracked.
 */
export async function unblockWorkload(
  workload: WorkloadName,
  asker: Asker,
  ports: Ports,
  part: Pick<UnblockRequest, "digest" | "hold"> = {},
): Promise<UnblockView | ApiError | undefined> {
  const key = workloadKey(workload);
  const cause = ({ version }: WorkloadRecord) => `Unblock:${version}`;
  const deciding = { workload, cause, doing: "unblocked" };
  return decide<UnblockView | ApiError | undefined>(deciding, ports, (record) => {
    if (!record.tracked) return leave(undefined);
    const what = unblockingOf(key, record, part, asker, ports);
    if (what.kind !== "all" && what.kind !== "hold" && what.kind !== "digest") return leave(what);
    const decision = unblock(record, asker, ports.rules.approvals, what);
    if (decision === undefined) return leave(unblockView(key, what, record, record));
    return storeThen(record, decision, ports.clock.now(), (next) => unblockView(key, what, record, next));
  });
}

/** Returns the part of a workload that a request names, or why it can't be unblocked. */
function unblockingOf(
  key: string,
  record: WorkloadRecord,
  { digest: text, hold }: Pick<UnblockRequest, "digest" | "hold">,
  asker: Asker,
  { rules: { approvals: approvalRules } }: Ports,
): Unblocking | ApiError {
  if (text !== undefined && hold !== undefined)
    return { kind: "bad-request", detail: "name digest or hold, and not both: each unblocks its own part" };
  if (hold !== undefined) return { kind: "hold" };
  if (text === undefined) return { kind: "all" };
  const held = heldDigests(record);
  const [one, ...more] = digestsNamed(text, held);
  const shown = printableText(shortened(text, 100));
  if (one === undefined)
    return notFound(`${key} has no blocked digest "${shown}". ${listOf("Its blocked digests", held)}`);
  if (more.length > 0)
    return {
      kind: "bad-name",
      detail: `"${shown}" names several digests of ${key}. ${listOf("Name one", [one, ...more])}`,
    };
  const rejections = record.blocked.filter((blocked) => blocked.digest === one.digest && isRejection(blocked));
  if (rejections.length > 0 && !mayLiftRejections(record.workload, asker, approvalRules))
    return {
      kind: "no-right",
      detail: `only a proved person who may decide lifts the rejection of ${nameOf(one)} on ${key}`,
      now: { deciders: decidersFor(record.workload, approvalRules) },
    };
  return { kind: "digest", digest: one.digest };
}

/** The most digests that a refusal names. */
const mostNamed = 10;

function listOf(intro: string, digests: readonly HeldDigest[]): string {
  if (digests.length === 0) return "It has no blocked digest.";
  const names = digests.slice(-mostNamed).toReversed().map(nameOf);
  const more = digests.length - names.length;
  return `${intro}: ${names.join(", ")}${more > 0 ? `, and ${more} earlier ones` : ""}`;
}

/** Returns a tag and the first digits of its digest. These digits name the digest. */
function nameOf({ tag, digest }: HeldDigest): string {
  return `${tag} @ ${digest.replace(/^\w+:/, "").slice(0, 12)}`;
}

function unblockView(key: string, { kind }: Unblocking, before: WorkloadRecord, after: WorkloadRecord): UnblockView {
  const digests = freedBy(before, after).map(viewOf);
  return {
    workload: key,
    hold: before.hold !== undefined && after.hold === undefined,
    blocked: digests.length,
    digests,
    rejected: kind === "all" ? after.blocked.filter(isRejection).length : 0,
    left: { hold: after.hold !== undefined, digests: heldDigests(after).map(viewOf) },
  };
}

function viewOf({ imageName, tag, digest }: HeldDigest): UnblockView["digests"][number] {
  return { imageName, tag, digest };
}
