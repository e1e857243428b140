import { whatChanged, type WhatChanged } from "#domain/image/comparison";
import { type ImageOrigin, namesCommit } from "#domain/image/origin";
import { type DesiredImage, repositoryOf } from "#domain/update/decide/desired-image";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { isSameDigest } from "#domain/workload/repository-digest";
import type { RepositoryName } from "#ports/registry";
import { allOf } from "./bounded.ts";
import type { RegistryReads } from "./registry-reads.ts";
import { isRequestedRollback } from "./requested-image.ts";

/**
 * Returns the desired images, each change with the origins of its images. An open update keeps what
 * it knows, so each update asks the registry once. A requested rollback asks no registry.
 */
export function withOrigins(
  record: WorkloadRecord,
  desired: readonly DesiredImage[],
  reads: Pick<RegistryReads, "origin">,
): Promise<readonly DesiredImage[]> {
  return allOf(
    desired.map(async (one) => {
      if (one.kind !== "change") return one;
      const changed = await originsOf(record, one.change, isRequestedRollback(one, record) ? unread : reads);
      return changed === undefined ? one : { ...one, change: { ...one.change, whatChanged: changed } };
    }),
  );
}

const unread = { origin: () => Promise.resolve(undefined) };

async function originsOf(
  record: WorkloadRecord,
  change: ImageChange,
  reads: Pick<RegistryReads, "origin">,
): Promise<WhatChanged | undefined> {
  const { pending, active } = record;
  const open = [...(pending?.changes ?? []), ...(active?.changes ?? [])].find(isSameChange(change));
  if (open !== undefined) return open.whatChanged;
  const container = record.observed.containers.find(({ list, name }) => list === change.list && name === change.name);
  const name = container && repositoryOf(container);
  if (name === undefined) return undefined;
  const to = await originOf(change.digest, { record, change, name, reads });
  // Without the commit of the new image, nothing compares it.
  const from = namesCommit(to) ? await originOf(change.fromDigest, { record, change, name, reads }) : undefined;
  return whatChanged(from, to);
}

function isSameChange({ list, name, imageName, digest, fromDigest }: ImageChange): (one: ImageChange) => boolean {
  const isSame = isSameDigest({ imageName, digest });
  return (one) => one.list === list && one.name === name && one.fromDigest === fromDigest && isSame(one);
}

interface Asked {
  readonly record: WorkloadRecord;
  readonly change: ImageChange;
  readonly name: RepositoryName;
  readonly reads: Pick<RegistryReads, "origin">;
}

/** Returns the origin of a digest by the updates of the record, or by the registry. */
async function originOf(
  digest: string | undefined,
  { record: { pending, active, last, landed }, change: { imageName }, name, reads }: Asked,
): Promise<ImageOrigin | undefined> {
  if (digest === undefined) return undefined;
  const changes = [pending, active, last, landed].flatMap((update) => update?.changes ?? []);
  const known = changes
    .filter((one) => one.imageName === imageName)
    .map((one) =>
      one.digest === digest ? one.whatChanged?.to : one.fromDigest === digest ? one.whatChanged?.from : undefined,
    )
    .find((origin) => origin !== undefined);
  return known ?? (await reads.origin(name, digest));
}
