import type { ApprovalRules } from "../../approval/approvers.ts";
import { type Asker, mayLiftRejections } from "../../approval/asker.ts";
import { actionOf } from "../state/action.ts";
import type { Decision } from "../state/changes.ts";
import { type BlockedDigest, isRejection, type WorkloadRecord } from "../state/workload.ts";

/** The part of a workload that a request unblocks. */
export type Unblocking =
  | { readonly kind: "all" }
  | { readonly kind: "hold" }
  /** `digest`: a whole digest. */
  | { readonly kind: "digest"; readonly digest: string };

/** A digest that waits for an unblock, or that an unblock lets go on earlier. */
export type HeldDigest = Pick<BlockedDigest, "imageName" | "tag" | "digest">;

/** The lists of a record whose digests an unblock may let go on. */
interface HeldLists {
  readonly blocked: WorkloadRecord["blocked"];
  readonly restored?: WorkloadRecord["restored"] | undefined;
  readonly limited?: WorkloadRecord["limited"] | undefined;
}

/** Returns the digests of a workload that an unblock may let go on, the oldest first. */
export function heldDigests({ blocked, restored = [], limited = [] }: HeldLists): readonly HeldDigest[] {
  return [...blocked, ...restored, ...limited];
}

/** The fewest digits that name a digest. */
const fewestDigits = 12;

/**
 * Returns the digests of a workload that a text names: a whole digest, its beginning with at least
 * 12 digits, or a tag. Each digest is named once; empty for an unknown text.
 */
export function digestsNamed(text: string, held: readonly HeldDigest[]): readonly HeldDigest[] {
  const digits = text.replace(/^sha(?:256|384|512):/, "");
  const isBeginning = digits.length >= fewestDigits && /^[0-9a-f]+$/.test(digits);
  const found = held.filter(
    ({ tag, digest }) =>
      tag === text || (isBeginning && (text === digits ? digest.replace(/^\w+:/, "") : digest).startsWith(text)),
  );
  return [...new Map(found.map((one) => [one.digest, one])).values()];
}

/**
 * Ends the hold of a workload, unblocks its digests, or both. Returns undefined if there is no such
 * hold and no such digest.
 *
 * Rejected digests stay blocked, unless the sender may decide about the workload.
 */
export function unblock(
  record: WorkloadRecord,
  asker: Asker,
  rules: ApprovalRules,
  what: Unblocking = { kind: "all" },
): Decision | undefined {
  const mayLift = mayLiftRejections(record.workload, asker, rules);
  const isFreed = ({ digest }: HeldDigest): boolean =>
    what.kind === "all" || (what.kind === "digest" && what.digest === digest);
  // The user can't know the digest that is being rolled back now, so only its name unblocks it.
  const isUnknown = ({ seq }: BlockedDigest): boolean =>
    what.kind === "all" && record.active?.status === "rolling-back" && seq === record.active.seq;
  const blocked = record.blocked.filter((one) => !isFreed(one) || isUnknown(one) || (isRejection(one) && !mayLift));
  const left = <One extends HeldDigest>(digests: readonly One[] | undefined): readonly One[] | undefined => {
    const kept = digests?.filter((one) => !isFreed(one));
    return kept?.length === 0 ? undefined : kept;
  };
  const hold = what.kind === "digest" ? record.hold : undefined;
  const after = { hold, blocked, restored: left(record.restored), limited: left(record.limited) };
  const freed = freedBy(record, after);
  const endsHold = record.hold !== hold;
  if (!endsHold && freed.length === 0) return undefined;
  const images = freed.map(({ imageName, tag, digest }) => `${imageName}:${tag} @ ${digest}`);
  const detail = `${[...(endsHold ? ["hold"] : []), ...images].join(", ")}; by ${asker.by}`;
  return {
    changes: { ...after, ...(record.tracked ? { needsEvaluation: true } : {}) },
    transitions: [
      {
        seq: 0,
        what: endsHold ? "unblocked" : "digests-unblocked",
        reasons: [],
        changes: [],
        detail,
        action: actionOf("unblock", asker),
      },
    ],
  };
}

/** Returns the digests that a later version of a record no longer holds. */
export function freedBy(before: HeldLists, after: HeldLists): readonly HeldDigest[] {
  const left = heldDigests(after);
  return heldDigests(before).filter((one) => !left.includes(one));
}
