import { workloadKey } from "#domain/workload/workload";
import { isOf, tierIn } from "#test/model/history/definition-log";
import { rankOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { decidedImages, isSuspended } from "./definition-status.ts";
import { ownerOf, type SeenWorkload, versionText } from "./definitions.ts";
import type { LandedPatch } from "./patches.ts";

/**
 * Checks that no workload gets the image of its tier of a ServiceImage before each known workload of a higher priority
 * ran the image of its own tier. A suspended one, and one with a higher version, is not waited for.
 */
export function checkOrder(
  { patch, before, reads: { object, record } }: LandedPatch,
  installation: Installation,
): void {
  const { witness, cluster } = installation;
  if (patch.updateLabel.to.endsWith("-back")) return;
  if (object?.declared === undefined || record?.record === undefined) return;
  const { labels = {}, annotations = {} } = before.metadata;
  const isEnabled = annotations["lookout.dev/enabled"] === "true";
  const isAsking = isEnabled && annotations["lookout.dev/policy"] === "service-image";
  const { isRollback, requested, passes } = witness.requests.allowed(record.record);
  if (!isAsking || isRollback || requested.size > 0 || passes("tier")) return;
  const services = object.declared.filter(({ kind }) => kind === "ServiceImage");
  const { containers = [] } = (before.spec.template ?? before.spec.jobTemplate?.spec.template)?.spec ?? {};
  const images = containers.map(({ image }) => image);
  const owner = ownerOf(images, services);
  const declared = services.find(({ uid }) => uid === owner);
  const version = declared && witness.definitions.log.find(declared);
  if (version?.draft.kind !== "ServiceImage" || version.draft.wrong !== undefined) return;
  const { draft } = version;
  if (!patch.images.some(({ from, to }) => from !== to && isOf(draft, to))) return;
  const own = tierIn(draft, labels["upgrade-tier"]);
  const [earlier, sight] = witness.definitions.sights.filter(({ tick }) => tick < object.tick).slice(-2);
  if (own === undefined || earlier === undefined || sight === undefined) return;
  const isFirstRollout = (key: string, tag: string): boolean => {
    const { active, ran = [] } = installation.stored.records().get(key) ?? {};
    // A new digest of the tag that runs is no other image of the tier.
    const rollsOut = active?.changes.some((one) => one.tag === tag && tagOf(one.from) !== tag) === true;
    return rollsOut && !ran.some((one) => one.tag === tag);
  };
  const hasRun = ({ key }: SeenWorkload, tag: string): boolean =>
    !isFirstRollout(key, tag) &&
    cluster.history.some(
      ({ workload, images }) =>
        workloadKey(workload) === key &&
        images.some((image) => isOf(draft, image) && (tagOf(image) === tag || rankOf(tagOf(image)) > rankOf(tag))),
    );
  for (const [key, seen] of sight.workloads) {
    const known = earlier.workloads.get(key);
    if (key === workloadKey(patch.workload) || known?.uid !== seen.uid || isSuspended(seen, installation)) continue;
    const tier = tierIn(draft, seen.labels["upgrade-tier"]);
    const former = tierIn(draft, known.labels["upgrade-tier"]);
    if (tier === undefined || tier.priority <= own.priority || former?.priority !== tier.priority) continue;
    const isMember = [known, seen].every((one) => decidedImages(one, version, installation).length > 0);
    if (isMember && !hasRun(seen, tier.tag))
      witness.complain(
        "S30",
        `${patch.updateLabel.to} wrote ${short(patch.images.map(({ to }) => to).join(", "))} to ${patch.workload.name}, although ${key} of a higher priority of ${versionText({ ...version, ...draft })} never ran ${tier.tag}`,
      );
  }
}
