import { covers, freezeScopeText } from "#domain/gates/freezes";
import type { WorkloadPatch } from "#domain/workload/patch";
import { parseSettings } from "#domain/settings/settings";
import type { Reason } from "#domain/shared/reasons";
import { windowState } from "#domain/schedule/window";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { updateLabelKey, updateLabelOf, workloadKey } from "#domain/workload/workload";
import type { MemoryCluster } from "#test/model/world/cluster-hands";
import { restoredImage } from "#domain/update/decide/observed-changes";
import { fieldsOf, imagesIn } from "#test/model/history/fields";
import { pinOf, short } from "#test/model/image-text";
import type { Images } from "#test/model/world/images";
import { installationName } from "#test/model/world/installation";
import { checkAges, clocksDifferMs } from "#test/model/judge/ages";
import type { Allowed } from "#test/model/judge/requests";
import type { LookoutWrite } from "#test/model/judge/object-writes";
import { checkVotes } from "#test/model/judge/votes";
import type { Reads } from "#test/model/world/runs";
import type { Witness } from "#test/model/history/witness";

type Shown = NonNullable<ReturnType<MemoryCluster["object"]>>;

/** A sent patch, with the reads of its run. */
export interface SentPatch {
  readonly patch: WorkloadPatch;
  readonly reads: Reads;
}

/** A landed patch, with the object before and after. */
export interface LandedPatch extends SentPatch {
  readonly before: Shown;
  readonly after: Shown;
  /** The simulated time at which the patch was sent. */
  readonly at: number;
}

/** Checks that the run of a patch read the object, and after that the record with a strong read. */
export function checkSent({ patch, reads: { object, record } }: SentPatch, witness: Witness): void {
  const say = (what: string): void => witness.complain("S1", `the patch ${patch.updateLabel.to} was sent ${what}`);
  if (object === undefined || object.uid !== patch.uid || object.generation !== patch.generation) {
    say("with guards that its last read of the object did not show");
    return;
  }
  if (record === undefined || record.tick < object.tick) {
    say("without a read of the record after that read");
    return;
  }
  const active = record.record?.active;
  const status = isBack(patch) ? "rolling-back" : "patching";
  if (record.record === undefined || active?.seq !== seqOf(patch) || active.status !== status) {
    say(`although the record showed update ${String(active?.seq)} ${String(active?.status)}`);
    return;
  }
  if (!isBack(patch) && !witness.requests.allowed(record.record).isRollback)
    checkVotes(record.record, active, patch.updateLabel.to, witness);
  const intended = active.changes.every((change) => {
    const { name, from, to } = change;
    const image = patch.images.find((one) => one.name === name);
    const [old, wanted] = isBack(patch) ? [to, restoredImage(change)] : [from, to];
    return image === undefined ? old === wanted : image.from === old && image.to === wanted;
  });
  if (!intended) say("with other images than the stored intent names");
}

/**
 * Checks that an update is not held again after its patch has landed, even with an unknown outcome.
 */
export function checkStaysSent(before: WorkloadRecord | undefined, after: WorkloadRecord, witness: Witness): void {
  const was = before?.active;
  if (was === undefined || after.active !== undefined || after.pending?.seq !== was.seq) return;
  if (witness.objects.hasLanded(workloadKey(after.workload), updateLabelOf(installationName, was.seq, "forward")))
    witness.complain("S11", `update ${was.seq} of ${after.workload.name} was held again after its patch had landed`);
}

/** The surroundings of a landed patch. */
interface LandedIn {
  readonly witness: Witness;
  readonly images: Images;
  /** True: the clock of any function was off. */
  readonly skewed: boolean;
  /** The furthest that the clock of all functions was behind so far. */
  readonly furthestBackMs: number;
  /** The number of jumps of the clock of all functions. */
  readonly jumps: number;
}

const nothingRequested: Allowed = { isRollback: false, requested: new Set(), passes: () => false };

/** Checks the effect of a landed patch, and whether the patch was allowed. */
export function checkLanded(landed: LandedPatch, { witness, images, skewed, furthestBackMs, jumps }: LandedIn): void {
  const { patch, before, after } = landed;
  const { record, tick = 0 } = landed.reads.record ?? {};
  const changes = record?.active?.changes ?? [];
  const latest = lookoutsTime(landed) + (skewed ? clocksDifferMs : 0) + furthestBackMs;
  const updateLabel = patch.updateLabel.to;
  const allowed = record === undefined ? nothingRequested : witness.requests.allowed(record);
  checkGuards(landed, witness);
  if (!isBack(patch)) {
    checkGates(landed, changes, allowed, witness);
    if (!allowed.isRollback) checkFreezes(landed, witness);
    const { annotations = {} } = landed.reads.object ?? {};
    if (!allowed.isRollback && !allowed.passes("min-age"))
      checkAges({ updateLabel, annotations, record, at: lookoutsTime(landed) }, skewed, witness);
    checkNotOlder(patch, allowed, witness, images);
    checkBegun(landed, changes, allowed, witness);
    if (record !== undefined) {
      const at = jumps > 0 ? Infinity : latest;
      witness.requests.checkPatched({ record, tick, updateLabel, changes, at }, images);
      const { object, tiers } = landed.reads;
      const isReleased = allowed.isRollback || allowed.passes("tier");
      if (tiers !== undefined && object !== undefined && !isReleased)
        witness.tiers.checkPatched(
          { record, annotations: object.annotations, tick, updateLabel, changes, at },
          { rules: tiers, images },
        );
    }
  }
  const active = record?.active;
  // A pod pulls the images of all its containers.
  const shown = [...imagesIn(fieldsOf(before))].map(([name, image]) => ({
    name,
    // The tag may have moved since the pods started.
    wasLimited: images.digestsOf(image).some((one) => images.pullFault(one) === "limit"),
    hadFault: images.digestsOf(image).some((one) => images.failing.has(one) || images.pullFault(one) !== undefined),
  }));
  const others = shown.filter(({ name }) => changes.every((change) => change.name !== name));
  const isLimited =
    active?.status === "rolling-back" &&
    ((active.failure.reason === "pull-limited" && shown.some(({ wasLimited }) => wasLimited)) ||
      (active.failure.reason === "other-container-failed" && others.some(({ hadFault }) => hadFault)));
  witness.objects.lookoutWrote({
    workload: workloadKey(patch.workload),
    updateLabel,
    before: fieldsOf(before),
    after: fieldsOf(after),
    images: patch.images,
    changes,
    restarts: patch.restart !== undefined,
    sound: active?.status === "rolling-back" ? soundOf(changes, active.failure.reason, images) : [],
    ...(isLimited ? { limitedUntil: Math.min(active.failure.at, landed.at) + limitPauseMs } : {}),
    requested: allowed.requested,
    ...declaredOf(landed, record),
    isRequestedRollback: allowed.isRollback,
    wasLeft: active?.status === "rolling-back" && active.failure.reason === "rollback-requested",
    at: latest,
  });
}

/** Checks that definitions allow an update of a workload, if they count. */
function checkBegun(
  { patch, before, reads: { object } }: LandedPatch,
  changes: readonly ImageChange[],
  allowed: Allowed,
  { definitions }: Witness,
): void {
  if (object?.declared === undefined) return;
  const { live, declared } = object;
  const own = before.metadata.annotations ?? {};
  definitions.checkBegun({ updateLabel: patch.updateLabel.to, live, own, declared, changes, allowed });
}

/** Returns what definitions declare: that the workload is tracked, and the containers whose version may become lower. */
function declaredOf(
  { reads: { object } }: LandedPatch,
  record: WorkloadRecord | undefined,
): Pick<LookoutWrite, "isDeclared" | "mayLower"> {
  if (object?.declared === undefined) return {};
  const { annotations } = object;
  const lowered = record?.observed.containers.filter(({ name }) => {
    const policy = annotations[`lookout.dev/container.${name}.policy`];
    return policy !== undefined && policy !== "semver";
  });
  return {
    mayLower: new Set(lowered?.map(({ name }) => name)),
    ...(object.declared.some(({ kind }) => kind === "ImagePolicy") ? { isDeclared: true } : {}),
  };
}

/**
 * Returns the time of a patch, by the clock of its run if that clock was ahead. While a clock is ahead, an instant may
 * seem to have passed.
 */
function lookoutsTime({ at, reads: { clock } }: LandedPatch): number {
  return Math.max(at, clock ?? at);
}

function checkGuards({ patch, before }: LandedPatch, witness: Witness): void {
  const images = imagesIn(fieldsOf(before));
  const stands =
    before.metadata.uid === patch.uid &&
    before.metadata.generation === patch.generation &&
    before.metadata.labels?.[updateLabelKey] === patch.updateLabel.from &&
    patch.images.every(({ name, from }) => images.get(name) === from);
  if (!stands)
    witness.complain("S1", `the patch ${patch.updateLabel.to} landed on an object that its guards do not describe`);
}

function checkGates(
  { patch, before, reads: { record, clock } }: LandedPatch,
  changes: readonly ImageChange[],
  { isRollback, passes }: Allowed,
  witness: Witness,
): void {
  const say = (what: string): void => witness.complain("S12", `${patch.updateLabel.to} was written although ${what}`);
  if (record === undefined) return;
  for (const { to, digest } of changes) {
    const since = witness.quarantinedAt.get(digest);
    if (since !== undefined && since < record.tick) say(`${short(to)} was in quarantine`);
  }
  if (isRollback) return;
  if (record.record?.hold !== undefined) say("there was a hold");
  const { windows } = parseSettings(before.metadata.annotations ?? {}, record.record?.observed.containers ?? []);
  if (clock !== undefined && windows.length > 0 && !passes("window") && !windowState(windows, clock).open)
    say(`its window was closed at ${new Date(clock).toISOString()}, when the clock was read before the patch`);
}

/** The first pause after a registry limited pulls. */
const limitPauseMs = 900_000;

/** The time after a freeze during which a patch with earlier gates may still be sent. */
const readingsHoldMs = 10_000;

function checkFreezes({ patch, reads: { record, clock }, at }: LandedPatch, witness: Witness): void {
  for (const { freeze, tick, at: since } of witness.frozen.values()) {
    const { scope, until = Infinity } = freeze;
    if (!covers(scope, patch.workload)) continue;
    const what = `the freeze of ${freezeScopeText(scope)}`;
    if (record !== undefined && tick < record.tick && until > (clock ?? at))
      witness.complain("S12", `${patch.updateLabel.to} was written, although ${what} stood when the record was read`);
    if (at > since + readingsHoldMs && until > Math.max(at, clock ?? at) && record !== undefined && record.tick < tick)
      witness.complain("S6", `${patch.updateLabel.to} was sent ${Math.round((at - since) / 1_000)} s after ${what}`);
  }
}

function checkNotOlder(patch: WorkloadPatch, { requested }: Allowed, witness: Witness, images: Images): void {
  for (const { name, from, to } of patch.images) {
    if (requested.has(name)) continue;
    const [was, is] = [pinOf(from), pinOf(to)];
    const [text = ""] = to.split("@");
    if (was !== undefined && is !== undefined && from.startsWith(`${text}@`) && !images.namedAfter(text, was, is))
      witness.complain("S13", `${patch.updateLabel.to} went from ${short(from)} to the older push ${short(to)}`);
  }
}

function isBack(patch: WorkloadPatch): boolean {
  return patch.updateLabel.to.endsWith("-back");
}

function seqOf(patch: WorkloadPatch): number {
  return Number(patch.updateLabel.to.split("-")[1]);
}

/**
 * Returns the containers that did not cause a rollback. The cause is the image that can't start, else the
 * image whose pulls fail. If no image has a fault, no container is known to be sound.
 */
function soundOf(
  changes: readonly Pick<ImageChange, "name" | "digest">[],
  reason: Reason,
  images: Images,
): readonly string[] {
  const startsNot = ({ digest }: Pick<ImageChange, "digest">): boolean =>
    images.broken.has(digest) || images.failing.has(digest);
  const meets = (fault: string) => (one: Pick<ImageChange, "digest">) => images.pullFault(one.digest) === fault;
  const faults = reason === "pull-limited" ? [meets("limit")] : [startsNot, meets("denial"), meets("limit")];
  const cause = faults.find((fault) => changes.some(fault));
  return cause === undefined ? [] : changes.filter((change) => !cause(change)).map(({ name }) => name);
}
