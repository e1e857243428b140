import type { WorkloadRecord } from "#domain/update/state/workload";
import { short } from "#test/model/image-text";
import type { Images } from "#test/model/world/images";
import type { Complain } from "./complain.ts";

/**
 * Checks that no restart succeeds with a digest that no node ever pulled. An ending that says that
 * it is not proved or not verified is allowed.
 */
export function checkRestarted({ last, transitions }: WorkloadRecord, images: Images, complain: Complain): void {
  if (last?.status !== "succeeded" || !transitions.some(({ seq, what }) => seq === last.seq && what === "succeeded"))
    return;
  if (!/^\d+ pods?$/.test(last.detail)) return;
  for (const { apply, name, to, digest } of last.changes)
    if (apply === "restart" && !images.pulled.has(digest))
      complain("S16", `update ${last.seq} succeeded, although no pod ran ${short(to)} ${short(digest)} in ${name}`);
}
