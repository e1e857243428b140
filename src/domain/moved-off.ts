import { parseImageReference, repositoryKey } from "./image-reference.ts";
import type { Step } from "./record.ts";
import type { ActiveUpdate, ContainerState, Refusal, WorkloadRecord } from "./update.ts";
import { refusalOf, repositoryOf } from "./wish.ts";
import { imageOf, type LiveWorkload } from "./workload.ts";

/** An image that stood on an object, with a digest that it named. */
type Stood = Pick<Refusal, "repository" | "digest" | "tag"> & Pick<ContainerState, "list" | "name" | "image">;

/**
 * Answers a record's refusals with those digests added that someone moved the object off since Lookout last saw it: whoever did it does not
 * want them back before they say so.
 *
 * It does not matter who had put them there. What Lookout itself put in their place is no one's move, and the same tag written otherwise, with or without its digest, is none either.
 */
export function movedOff(record: WorkloadRecord, live: LiveWorkload, step: Step): readonly Refusal[] {
  const ours = (one: Stood): boolean =>
    record.landed?.changes.some(({ name, to }) => name === one.name && to === imageOf(live, one)) === true;
  const stood = record.observed.containers.flatMap(stoodThere).filter((one) => !ours(one));
  return withRefusals(record, stood, record.seq, live, step);
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
