import { parseImageReference, repositoryKey } from "../image/reference.ts";
import type { Step } from "./record.ts";
import type { ActiveUpdate, Refusal, WorkloadRecord } from "./states.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { ContainerState } from "../workload/observed.ts";
import { refusalOf, repositoryOf } from "./desired-image.ts";
import { updateLabelKey, updateLabelOf, type LiveWorkload } from "../workload/workload.ts";

/** An image that stood on an object, with a digest that it named. */
type Stood = Pick<Refusal, "repository" | "digest" | "tag"> & Pick<ContainerState, "list" | "name" | "image">;

/**
 * Answers a record's refusals with those digests added that someone moved the object off since Lookout last saw it: whoever did it does not
 * want them back before they say so.
 *
 * It does not matter who had put them there. Where our label came onto the object since that look, it was what the update wrote, and what
 * that replaced was no one's move. The same tag written otherwise, with or without its digest, is none either.
 */
export function movedOff(
  record: WorkloadRecord,
  live: LiveWorkload,
  installation: string,
  step: Step,
): readonly Refusal[] {
  const written = writtenSince(record, live, installation);
  const stood = record.observed.containers.flatMap((container) => {
    const change = written.find(({ list, name }) => list === container.list && name === container.name);
    return change === undefined ? stoodThere(container) : [{ ...change, image: change.to }];
  });
  return withRefusals(record, stood, record.seq, live, step);
}

/** What Lookout itself wrote after its last look at the object, by the label; empty: nothing. */
function writtenSince(
  { landed, observed }: WorkloadRecord,
  live: LiveWorkload,
  installation: string,
): readonly ImageChange[] {
  const updateLabel = live.labels[updateLabelKey];
  const since = landed !== undefined && updateLabel === updateLabelOf(installation, landed.seq, "forward");
  return since && updateLabel !== observed.updateLabel ? landed.changes : [];
}

/** The same for what an update had put there, of which nothing is observed yet. */
export function movedOffUpdate(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): readonly Refusal[] {
  const stood = active.changes.map((change) => ({ ...change, image: change.to }));
  return withRefusals(record, stood, active.seq, live, step);
}

/** The same for what Lookout saw last, in the containers that an update does not change: all of them once it was put back. */
export function movedOffBeside(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): readonly Refusal[] {
  const isBeside = ({ name }: ContainerState): boolean => active.changes.every((change) => change.name !== name);
  const rolledBack = active.status === "rolling-back" && active.rollback.kind === "patched";
  const stood = record.observed.containers.filter((one) => rolledBack || isBeside(one)).flatMap(stoodThere);
  return withRefusals(record, stood, record.seq, live, step);
}

function withRefusals(
  record: WorkloadRecord,
  stood: readonly Stood[],
  seq: number,
  live: LiveWorkload,
  step: Step,
): readonly Refusal[] {
  const known = (one: Stood): Refusal | undefined => refusalOf(one, record.refusals);
  const left = stood.filter((one) => !standsStill(one, live) && known(one)?.reason !== "changed-by-hand");
  const refuse = ({ repository, digest, tag }: Stood): Refusal => ({
    repository,
    digest,
    tag,
    reason: "changed-by-hand",
    seq,
    at: step.now,
  });
  // Someone's move says more than that the image did not run.
  const others = record.refusals.filter((refusal) => !left.some((one) => known(one) === refusal));
  return keepNewest([...others, ...left.map(refuse)]);
}

/** How many refusals a workload remembers: far more than anyone undoes, and few enough for one item of the table. */
const refusalsKept = 100;

/** Answers the newest refusals, as many as a record keeps. */
export function keepNewest(refusals: readonly Refusal[]): readonly Refusal[] {
  return refusals.slice(-refusalsKept);
}

/**
 * A pin says what stood there. Without one, what the pods report and what the registry said of the tag may be two digests of one image:
 * its platform's and its index's.
 */
function stoodThere(container: ContainerState): readonly Stood[] {
  const { list, name, image, digest, baseline } = container;
  const reference = repositoryOf(container);
  if (reference === undefined) return [];
  const pinned = reference.digest;
  const digests = new Set((pinned === undefined ? [digest, baseline] : [pinned]).filter((one) => one !== undefined));
  const about = { list, name, image, repository: repositoryKey(reference), tag: reference.tag ?? "" };
  return [...digests].map((one) => ({ ...about, digest: one }));
}

function standsStill(before: Stood, live: LiveWorkload): boolean {
  const now = live.containers.find(({ list, name }) => list === before.list && name === before.name);
  if (now === undefined) return false;
  if (now.image === before.image) return true;
  const [one, other] = [parseImageReference(before.image), repositoryOf(now)];
  if (!one.ok || other === undefined || repositoryKey(other) !== before.repository) return false;
  return one.value.tag !== undefined && one.value.tag === other.tag;
}
