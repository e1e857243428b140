import { covers, freezeScopeText } from "#domain/gates/freeze";
import type { WorkloadPatch } from "#domain/workload/patch";
import { parseSettings } from "#domain/settings/settings";
import { windowState } from "#domain/schedule/window";
import type { WorkloadRecord } from "#domain/update/states";
import type { ImageChange } from "#domain/workload/patch";
import { updateLabelKey, updateLabelOf, workloadKey } from "#domain/workload/workload";
import type { MemoryCluster } from "#test/model/world/cluster-hands";
import { withRestart } from "#adapters/memory/cluster-manifest";
import { copyOf } from "#adapters/memory/copy";
import { type Images, pinOf, rankOf, short, tagOf } from "#test/model/world/images";
import { installationName } from "#test/model/world/installation";
import type { Reads } from "#test/model/world/runs";
import type { Witness } from "#test/model/history/witness";

type Shown = NonNullable<ReturnType<MemoryCluster["object"]>>;

/** A patch as it is sent, with what the run that sends it had read by then. */
export interface SentPatch {
  readonly patch: WorkloadPatch;
  readonly reads: Reads;
}

/** A patch that was written, and the object around it. */
export interface LandedPatch extends SentPatch {
  readonly before: Shown;
  readonly after: Shown;
  /** When it was sent, in the time of the simulation. */
  readonly at: number;
}

/** Checks that a patch rests on a read of the object, and on a strong read of the record after that. */
export function checkSent({ patch, reads: { object, record } }: SentPatch, witness: Witness): void {
  const say = (what: string): void => witness.complain("S1", `the patch ${patch.updateLabel.to} was sent ${what}`);
  if (object === undefined || object.uid !== patch.uid || object.generation !== patch.generation) {
    say("with guards that its last read of the object did not show");
    return;
  }
  if (record === undefined || record.tick < object.tick) {
    say("without a look at the record after that read");
    return;
  }
  const active = record.record?.active;
  const status = isBack(patch) ? "rolling-back" : "rolling-out";
  if (active?.seq !== seqOf(patch) || active.status !== status) {
    say(`although the record showed update ${String(active?.seq)} ${String(active?.status)}`);
    return;
  }
  const intended = active.changes.every(({ name, from, to }) => {
    const image = patch.images.find((one) => one.name === name);
    const [old, wanted] = isBack(patch) ? [to, from] : [from, to];
    return image === undefined ? from === to : image.from === old && image.to === wanted;
  });
  if (!intended) say("with other images than the stored intent names");
}

/** Checks that an update whose patch landed is not held again, whoever knows that it did. */
export function checkStaysSent(before: WorkloadRecord | undefined, after: WorkloadRecord, witness: Witness): void {
  const was = before?.active;
  if (was === undefined || after.active !== undefined || after.pending?.seq !== was.seq) return;
  if (witness.fences.has(`${after.uid} ${updateLabelOf(installationName, was.seq, "forward")}`))
    witness.complain("S11", `update ${was.seq} of ${after.workload.name} was held again after its patch had landed`);
}

/** Checks what a patch did to its object, and whether it was allowed. */
export function checkLanded(landed: LandedPatch, witness: Witness, images: Images): void {
  const { patch } = landed;
  const key = workloadKey(patch.workload);
  const changes = landed.reads.record?.record?.active?.changes ?? [];
  checkGuards(landed, witness);
  checkUntouched(landed, witness);
  checkOnce(landed, witness);
  if (isBack(patch)) checkBack(patch, witness, key);
  else {
    checkWanted(patch, changes, witness, key);
    checkGates(landed, changes, witness);
    checkFreezes(landed, witness);
    checkNotLower(landed, witness, images);
  }
  for (const { name, digest } of changes) {
    if (isBack(patch)) witness.rolledBack.add(`${key} ${digest}`);
    witness.standing.set(`${key} ${name}`, {
      updateLabel: patch.updateLabel.to,
      digest: isBack(patch) ? undefined : digest,
    });
  }
}

function checkGuards({ patch, before }: LandedPatch, witness: Witness): void {
  const stands =
    before.metadata.uid === patch.uid &&
    before.metadata.generation === patch.generation &&
    before.metadata.labels?.[updateLabelKey] === patch.updateLabel.from &&
    patch.images.every(({ name, from }) => imageIn(before, name) === from);
  if (!stands)
    witness.complain("S1", `the patch ${patch.updateLabel.to} landed on an object that its guards do not describe`);
}

function checkUntouched({ patch, before, after }: LandedPatch, witness: Witness): void {
  const [one, other] = [restOf(before, patch), restOf(after, patch)];
  if (one !== other) witness.complain("S8", `the patch ${patch.updateLabel.to} changed more than its images: ${other}`);
}

function checkOnce({ patch: { uid }, after }: LandedPatch, witness: Witness): void {
  const label = after.metadata.labels?.[updateLabelKey] ?? "";
  if (witness.fences.has(`${uid} ${label}`)) witness.complain("S7", `the label became ${label} twice on ${uid}`);
  witness.fences.add(`${uid} ${label}`);
}

function checkWanted(patch: WorkloadPatch, changes: readonly ImageChange[], witness: Witness, key: string): void {
  for (const { to, digest } of changes) {
    const why = witness.unwanted.get(`${key} ${digest}`);
    if (why !== undefined) witness.complain("S2", `${patch.updateLabel.to} wrote ${short(to)}, although ${why}`);
    if (witness.rolledBack.has(`${key} ${digest}`))
      witness.complain("S3", `${patch.updateLabel.to} wrote ${short(to)}, which was rolled back before`);
  }
}

function checkBack(patch: WorkloadPatch, witness: Witness, key: string): void {
  const forward = patch.updateLabel.to.replace(/-back$/, "");
  for (const { name, from } of patch.images)
    if (witness.standing.get(`${key} ${name}`)?.updateLabel !== forward)
      witness.complain("S4", `${patch.updateLabel.to} took back ${short(from)}, which a person had set since`);
}

function checkGates(
  { patch, before, reads: { record, clock } }: LandedPatch,
  changes: readonly ImageChange[],
  witness: Witness,
): void {
  const say = (what: string): void => witness.complain("S12", `${patch.updateLabel.to} was written although ${what}`);
  const annotations = before.metadata.annotations ?? {};
  if (annotations["lookout.dev/suspend"] === "true") say("the workload is suspended");
  if (annotations["lookout.dev/enabled"] !== "true") say("the workload takes no part");
  if (record === undefined) return;
  for (const { to, digest } of changes) {
    const since = witness.quarantinedAt.get(digest);
    if (since !== undefined && since < record.tick) say(`${short(to)} was in quarantine`);
  }
  if (record.record?.hold !== undefined) say("there was a hold");
  const { windows } = parseSettings(annotations, record.record?.observed.containers ?? []);
  if (clock !== undefined && windows.length > 0 && !windowState(windows, clock).open)
    say(`its window was closed at ${new Date(clock).toISOString()}, when the clock was read before the patch`);
}

/** How long after a freeze a patch may still be sent whose gates were read before it. */
const readingsHoldMs = 10_000;

function checkFreezes({ patch, reads: { record, clock }, at }: LandedPatch, witness: Witness): void {
  for (const { freeze, tick, at: since } of witness.frozen.values()) {
    const { scope, until = Infinity } = freeze;
    if (!covers(scope, patch.workload)) continue;
    const what = `the freeze of ${freezeScopeText(scope)}`;
    if (record !== undefined && tick < record.tick && until > (clock ?? at))
      witness.complain("S12", `${patch.updateLabel.to} was written, although ${what} stood when the record was read`);
    if (at > since + readingsHoldMs && until > at && record !== undefined && record.tick < tick)
      witness.complain("S6", `${patch.updateLabel.to} was sent ${Math.round((at - since) / 1_000)} s after ${what}`);
  }
}

function checkNotLower({ patch, before }: LandedPatch, witness: Witness, images: Images): void {
  const byVersion = before.metadata.annotations?.["lookout.dev/policy"] === "semver";
  for (const { from, to } of patch.images) {
    if (byVersion && rankOf(tagOf(to)) < rankOf(tagOf(from)))
      witness.complain("S13", `${patch.updateLabel.to} went from ${short(from)} to the lower ${short(to)}`);
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

function imageIn(shown: Shown, container: string): string | undefined {
  const template = shown.spec.template ?? shown.spec.jobTemplate?.spec.template;
  return template?.spec.containers.find(({ name }) => name === container)?.image;
}

/** Everything of an object that is not Lookout's to write, as text. */
function restOf({ kind, metadata, spec }: Shown, patch: WorkloadPatch): string {
  const { name, namespace, uid, labels = {}, annotations = {} } = metadata;
  const written = (key: string): boolean => key === updateLabelKey || key.startsWith("lookout.dev/status.");
  const others = (keys: Readonly<Record<string, string>>) => Object.entries(keys).filter(([key]) => !written(key));
  const rest = copyOf(spec) as typeof spec & {
    template?: Template;
    jobTemplate?: { spec: { template: Template } };
  };
  const template = rest.template ?? rest.jobTemplate?.spec.template;
  for (const container of template?.spec.containers ?? [])
    if (patch.images.some((image) => image.name === container.name)) container.image = "";
  if (patch.restart !== undefined && template !== undefined) Object.assign(template, withRestart(template, ""));
  return JSON.stringify([kind, name, namespace, uid, others(labels), others(annotations), rest]);
}

interface Template {
  metadata?: unknown;
  readonly spec: { readonly containers: { readonly name: string; image: string }[] };
}
