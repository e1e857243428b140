import type { WorkloadRecord } from "#domain/update/state/workload";
import { parseSettings } from "#domain/settings/settings";
import { workloadKey } from "#domain/workload/workload";
import type { Witness } from "#test/model/history/witness";

type Sent = Pick<NonNullable<WorkloadRecord["active"]>, "seq" | "changes" | "approval">;

/**
 * Checks the votes on a patched update: nobody rejected it, and enough people approved exactly its
 * images.
 */
export function checkVotes(record: WorkloadRecord, sent: Sent, label: string, witness: Witness): void {
  const ofUpdate = (witness.votes.get(workloadKey(record.workload)) ?? []).filter(
    ({ binding }) => binding.seq === sent.seq && binding.uid === record.uid,
  );
  if (ofUpdate.some(({ decision }) => decision === "reject"))
    witness.complain("S6", `${label} was sent after its update had been rejected`);
  const { required } = parseSettings(record.observed.annotations, record.observed.containers).approval;
  if (required === 0) return;
  const approving = new Set(
    ofUpdate.filter(({ binding }) => namesImages(binding.images, sent)).map(({ person }) => person),
  );
  if (ofUpdate.length === 0) witness.complain("S12", `${label} was sent although nobody had approved it`);
  else if (approving.size < required)
    witness.complain("S10", `${label} was sent with ${approving.size} of ${required} votes on its images`);
  if (sent.approval?.expiredAt !== undefined)
    witness.complain("S12", `${label} was sent although its approval had expired`);
}

function namesImages(
  images: readonly {
    readonly name: string;
    readonly imageName: string;
    readonly tag: string;
    readonly digest: string;
  }[],
  { changes }: Sent,
): boolean {
  const texts = (all: typeof images): string =>
    all
      .map(({ name, imageName, tag, digest }) => [name, imageName, tag, digest].join(" "))
      .toSorted()
      .join();
  return texts(images) === texts(changes);
}
