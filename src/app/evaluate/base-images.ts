import { type BaseImage, baseImageText } from "#domain/settings/base-images";
import { seeBaseImages } from "#domain/update/decide/base-images";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadName } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { digestsOf, readBaseImages } from "../shared/base-images.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import type { RegistryReads } from "../shared/registry-reads.ts";
import { leave, storeThen } from "../shared/turn.ts";

/**
 * Reads base images of a workload, and stores those that moved in a version of their own, because a
 * version has one transition of the workload. Returns whether the record changed.
 *
 * A registry that gives no digest changes nothing: a later push, sweep or evaluation reads it again.
 *
 * @param cause - the identity of the message that asks.
 * @param asks - whether a base image is read. By default, each is.
 */
export async function followBaseImages(
  workload: WorkloadName,
  cause: string,
  reads: Pick<RegistryReads, "resolve" | "whyNotAllowed">,
  ports: Ports,
  asks: (image: BaseImage) => boolean = () => true,
): Promise<boolean> {
  const found = new Map<string, string>();
  const asked = new Set<string>();
  return decide<boolean>({ workload, cause, doing: "evaluated" }, ports, async (record) => {
    if (!record.tracked) return leave(false);
    const settings = await settingsOf(record, ports);
    const unread = (settings.baseImages ?? []).filter((image) => asks(image) && !asked.has(baseImageText(image)));
    const read = digestsOf(await readBaseImages(unread, workload, reads));
    for (const [image, digest] of read) found.set(image, digest);
    for (const image of unread) asked.add(baseImageText(image));
    const decision = seeBaseImages(record, settings, found);
    return decision === undefined ? leave(false) : storeThen(record, decision, ports.clock.now(), () => true);
  });
}

/** Returns whether a record names base images, or remembers some that its annotations no longer name. */
export function hasBaseImages(
  { baseImages: seen }: { readonly baseImages?: readonly unknown[] },
  { baseImages: named }: Pick<WorkloadSettings, "baseImages">,
): boolean {
  return seen !== undefined || named !== undefined;
}
