import { retryOf } from "../../shared/reasons.ts";
import type { EpochMs } from "../../shared/time.ts";
import { isSameDigest, withoutDigests } from "../../workload/repository-digest.ts";
import type { ProvedBy } from "../../approval/people.ts";
import { type Action, actionOf } from "../state/action.ts";
import type { KeptImage, LeftTags, PassableGate, SkippedByPerson, Suspension } from "../../workload/control.ts";
import { type Decision, endingOf, type StateChanges } from "../state/changes.ts";
import {
  type BlockedDigest,
  overtaken,
  type RollingOutUpdate,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { Reason } from "../../shared/reasons.ts";
import { keepNewest } from "./manual-change.ts";
import { beginRollback } from "./verify.ts";

/** A person and the person's reason. */
export interface Person {
  readonly by: string;
  readonly why: string;
  /** How the name was proved. Absent if only the request names the person. */
  readonly provedBy?: ProvedBy;
}

/** The most skipped tags and kept images of a record. */
export const mostKept = 50;

/** The most tags that a container leaves for a requested version, and that its record lists. */
export const mostLeft = 50;

/** The most containers whose left tags a record lists, so that the record fits into one item. */
const mostLists = 10;

/** Returns the transition of the workload by which a person changed it. */
function byPerson(
  what: Transition["what"],
  action: Action["what"],
  person: Person,
  detail: string,
): Decision["transitions"] {
  const about = { seq: 0, reasons: [], changes: [], detail: `${detail}; by ${person.by}` } as const;
  return [{ ...about, what, action: actionOf(action, person) }];
}

function evaluates({ tracked }: WorkloadRecord): StateChanges {
  return tracked ? { needsEvaluation: true } : {};
}

/**
 * Stores the images that containers keep, in place of earlier ones, and the digests and tags that they
 * leave.
 * An update that was released for other images, and not sent, ends.
 *
 * A rollback does not wait because an applied manifest or a limit of pulls took its images off before.
 */
export function keepImages(
  record: WorkloadRecord,
  images: readonly KeptImage[],
  left: { readonly digests: readonly BlockedDigest[]; readonly tags: readonly LeftTags[] },
  person: Person,
  now: EpochMs,
): Decision | undefined {
  const [first] = images;
  if (first === undefined) return undefined;
  const isOther = (one: Pick<KeptImage, "list" | "container">): boolean =>
    !images.some(({ list, container }) => list === one.list && container === one.container);
  const tags = [...(record.left ?? []).filter(isOther), ...left.tags].slice(-mostLists);
  const { as } = first;
  const { by } = person;
  const text = images.map(({ container, tag, digest }) => `${container}: ${tag} @ ${digest}`).join(", ");
  const active = record.active?.status === "released" ? record.active : undefined;
  const ended =
    active && overtaken(active, "superseded", { reason: "version-requested", detail: `${as} by ${by}` }, now);
  return {
    changes: {
      kept: [...(record.kept ?? []).filter(isOther), ...images].slice(-mostKept),
      left: tags.length === 0 ? undefined : tags,
      blocked: keepNewest([...withoutSame(record.blocked, left.digests), ...left.digests]),
      ...(as === "rollback"
        ? { restored: withoutDigests(record.restored, images), limited: withoutDigests(record.limited, images) }
        : {}),
      ...(ended === undefined ? {} : { active: undefined, last: ended }),
    },
    transitions: [...byPerson("version-kept", as, person, text), ...(ended === undefined ? [] : [endingOf(ended)])],
  };
}

function withoutSame(blocked: readonly BlockedDigest[], left: readonly BlockedDigest[]): readonly BlockedDigest[] {
  return blocked.filter((one) => !left.some(isSameDigest(one)));
}

/** Rolls an update back whose pods are being replaced, because a person requested it. */
export function rollBackActive(active: RollingOutUpdate, { by, why }: Person, now: EpochMs): Decision {
  // A person goes back to what ran before, and not to the tag of lookout.dev/rollback-to.
  const changes = active.changes.map(({ back: _, ...change }) => change);
  return beginRollback({ ...active, changes }, { reason: "rollback-requested", detail: `${by}: ${why}` }, now);
}

/** Stops all updates of a workload. Returns undefined if the same person stopped them for the same reason. */
export function suspend(record: WorkloadRecord, person: Person, now: EpochMs): Decision | undefined {
  const { suspension } = record;
  if (suspension?.by === person.by && suspension.why === person.why) return undefined;
  const stop: Suspension = { by: person.by, why: person.why, at: now };
  return {
    changes: { suspension: stop, ...evaluates(record) },
    transitions: byPerson("suspended", "suspend", person, "updates stop"),
  };
}

/** The parts of a record that stop updates until a person resumes them. */
const resumable = ["suspension", "kept", "left", "hold"] as const satisfies readonly (keyof WorkloadRecord)[];
/** One of {@link resumable}. */
export type Resumable = (typeof resumable)[number];

/**
 * Returns the parts that a person resumes next: a suspension alone, else a requested version with the tags
 * that it left, and a hold.
 * Empty if updates go on.
 */
export function stopsOf(record: WorkloadRecord): readonly Resumable[] {
  const stops = resumable.filter((part) => record[part] !== undefined);
  return stops.includes("suspension") ? ["suspension"] : stops;
}

/** Lets the updates of a workload go on. Returns undefined if nothing stops them. */
export function resume(record: WorkloadRecord, person: Person): Decision | undefined {
  const stops = stopsOf(record);
  if (stops.length === 0) return undefined;
  const ended: StateChanges = Object.fromEntries(stops.map((part) => [part, undefined]));
  return {
    changes: { ...ended, ...evaluates(record) },
    transitions: byPerson(
      "resumed",
      "resume",
      person,
      `updates go on: ended ${stops.map((one) => stopTexts[one]).join(", ")}`,
    ),
  };
}

/** What people call the parts that stop updates. */
export const stopTexts = {
  suspension: "the suspension",
  kept: "the requested version",
  left: "the skip of the tags that it left",
  hold: "the hold after a revert",
} as const satisfies Readonly<Record<Resumable, string>>;

/** Lets a workload skip a tag of its repositories. */
export function skipTag(record: WorkloadRecord, skips: readonly SkippedByPerson[], person: Person): Decision {
  const others = (record.skips ?? []).filter(
    (one) => !skips.some(({ imageName, tag }) => one.imageName === imageName && one.tag === tag),
  );
  const images = skips.map(({ imageName, tag }) => `${imageName}:${tag}`).join(", ");
  return {
    changes: { skips: [...others, ...skips].slice(-mostKept), ...evaluates(record) },
    transitions: byPerson("tag-skipped", "skip", person, `skips ${images}`),
  };
}

/** Ends the skips of a tag. Returns undefined if the workload does not skip it. */
export function endSkip(record: WorkloadRecord, tag: string, person: Person): Decision | undefined {
  const { skips = [] } = record;
  const left = skips.filter((one) => one.tag !== tag);
  return left.length === skips.length ? undefined : endedSkips(record, left, `no longer skips ${tag}`, person);
}

/** Ends the skips whose time has passed. Returns undefined if there is none. */
export function endPassedSkips(record: WorkloadRecord, now: EpochMs): Decision | undefined {
  const { skips = [] } = record;
  const passed = skips.filter(({ until }) => until !== undefined && until <= now);
  if (passed.length === 0) return undefined;
  const left = skips.filter((one) => !passed.includes(one));
  const tags = passed.map(({ tag }) => tag).join(", ");
  return endedSkips(record, left, `no longer skips ${tags}`, { by: "lookout", why: "the time of the skip passed" });
}

function endedSkips(
  record: WorkloadRecord,
  left: readonly SkippedByPerson[],
  detail: string,
  person: Person,
): Decision {
  return {
    changes: { skips: left.length === 0 ? undefined : left, ...evaluates(record) },
    transitions: byPerson("resumed", "end-skip", person, detail),
  };
}

/** The reasons of blocked digests that a person tries again: their pods or their registry failed. */
const failures: ReadonlySet<Reason> = new Set(["rollout-failed", "rollout-timed-out", "pods-run-another-digest"]);

/**
 * Tries again what failed: unblocks failed digests, ends pauses, and lets the policies and gates
 * decide anew. Digests that people blocked stay blocked.
 */
export function retryFailed(record: WorkloadRecord, person: Person, now: EpochMs): Decision {
  const freed = record.blocked.filter(({ reason }) => failures.has(reason));
  const { pending } = record;
  const waits = pending?.waits.map((wait) => (retryOf(wait.reason) === "pause" ? { ...wait, until: now } : wait));
  const images = freed.map(({ imageName, tag, digest }) => `${imageName}:${tag} @ ${digest}`);
  const detail = images.length === 0 ? "evaluates again" : `tries again ${images.join(", ")}`;
  return {
    changes: {
      blocked: record.blocked.filter((one) => !freed.includes(one)),
      limited: undefined,
      ...(pending === undefined || waits === undefined ? {} : { pending: { ...pending, waits } }),
      ...evaluates(record),
    },
    transitions: byPerson("resumed", "retry", person, detail),
  };
}

/** The reasons of the gates that a person may let an update pass. */
export const reasonsOfGate = {
  window: ["window-closed", "blackout-active"],
  "min-age": ["image-too-new"],
  tier: ["tier-pending", "tier-soaking", "tier-halted", "tier-unproved", "tier-unread"],
  checks: ["check-not-asked", "check-refused", "check-unanswered", "check-unknown"],
} as const satisfies Readonly<Record<PassableGate, readonly Reason[]>>;

/**
 * Lets a held update pass gates, with exactly its present digests. Its gates are asked again now, and
 * other gates may still hold it. Returns undefined if the record has no held update, or none of these
 * gates holds it.
 */
export function releasePast(
  { pending }: WorkloadRecord,
  gates: readonly PassableGate[],
  person: Person,
  now: EpochMs,
): Decision | undefined {
  const passed: ReadonlySet<Reason> = new Set(gates.flatMap((gate): readonly Reason[] => reasonsOfGate[gate]));
  if (pending?.waits.some(({ reason }) => passed.has(reason)) !== true) return undefined;
  const { seq, changes } = pending;
  const { by, why } = person;
  const digests = [...new Set(changes.map(({ digest }) => digest))];
  const waits = pending.waits.map((wait) => (passed.has(wait.reason) ? { ...wait, until: now } : wait));
  const passes = [...(pending.passes ?? []), { gates, digests, by, why, at: now }];
  return {
    changes: { pending: { ...pending, waits, passes } },
    transitions: [
      {
        seq,
        what: "unblocked",
        reasons: [],
        changes,
        detail: `released past ${gates.join(", ")}; by ${by}`,
        action: actionOf("release", person),
      },
    ],
  };
}
