import { type Vote, voterOfVote } from "../../approval/votes.ts";
import type { StoredSighting } from "../../policy/tag-age.ts";
import { type EpochMs, epochMs, toIso } from "../../shared/time.ts";
import { type Decision, type StateChanges, withChanges } from "../state/changes.ts";
import { failed, overtaken, type Transition, type WorkloadRecord } from "../state/workload.ts";
import { backToHeld } from "./ending.ts";

/**
 * Returns an imported record, without anything that lets Lookout write to a cluster.
 *
 * Nothing proves an import. So its update is held, is evaluated again before its release, and needs
 * all gates again. An update whose patch was sent ends, and nothing is rolled back to the images
 * that an import names.
 */
export function imported(record: WorkloadRecord, now: EpochMs): WorkloadRecord {
  const { retry, member: _, ran: __, ...kept } = record;
  const changedAt = epochMs(Math.min(record.changedAt, now));
  const first = { ...kept, changedAt, transitions: [], effects: {} };
  // Lookout stores no open update of a workload that it does not track.
  if (!record.tracked) return withChanges(first, { pending: undefined, active: undefined });
  const isOpen = (record.pending ?? record.active) !== undefined;
  return withChanges(first, { ...withoutActive(record, now), ...(isOpen ? { needsEvaluation: true } : {}) });
}

function withoutActive(record: WorkloadRecord, now: EpochMs): StateChanges {
  const { active } = record;
  if (active === undefined) return {};
  if (active.status === "released") return backToHeld(record, active, [{ reason: "imported" }], now).changes;
  const ended =
    active.status === "rolling-back"
      ? failed(active, "rollback-failed", { reason: "imported", detail: active.failure.detail }, now)
      : overtaken(active, "superseded", { reason: "imported" }, now);
  // The object may show the images of the patch, which no user wrote.
  return { active: undefined, last: ended, landed: ended };
}

/**
 * Stores an imported vote on the held update. Returns undefined if the vote is on another update, or
 * its voter has voted.
 *
 * @param votes - the stored votes on the update.
 * @param by - the owner who imports the vote, for the history.
 */
export function importVote(
  record: WorkloadRecord,
  vote: Vote,
  votes: readonly Vote[],
  by: string,
  now: EpochMs,
): Decision | undefined {
  const { pending } = record;
  if (pending?.seq !== vote.binding.seq) return undefined;
  if (votes.some((one) => voterOfVote(one) === voterOfVote(vote))) return undefined;
  const { seq, changes } = pending;
  const detail = `${by} imported the vote of ${vote.person}: ${vote.decision}`;
  return {
    changes: {},
    vote: { ...vote, at: epochMs(Math.min(vote.at, now)) },
    transitions: [{ seq, what: "evidence-imported", reasons: [], changes, detail }],
  };
}

/** Notes in the history of a workload that an owner imported when tags came to their digests. */
export function importSightings(sightings: readonly StoredSighting[], by: string): Decision {
  const seen = sightings.map(({ imageName, tag, seenAt }) => `${imageName}:${tag} since ${toIso(seenAt)}`);
  const transition: Transition = {
    seq: 0,
    what: "evidence-imported",
    reasons: [],
    changes: [],
    detail: `${by} imported first sightings: ${seen.join(", ")}`,
  };
  return { changes: {}, transitions: [transition] };
}
