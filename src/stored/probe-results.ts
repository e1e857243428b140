import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import type { ProbeResults } from "#ports/probe-results";
import { itemOf, type Kind, type Storage, valueOf } from "./kind.ts";
import { instant } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of arrived synthetic pushes. */
export const probeKind: Kind<EpochMs> = {
  name: "arrival of a synthetic push",
  form: 1,
  shape: instant,
};

const keptFor = hours(1);

function keyOf(id: string): ItemKey {
  return { pk: "DOCTOR", sk: `PROBE#${id}` };
}

/** Returns the store of synthetic pushes that arrived. Each push has one item, which expires after an hour. */
export function storedProbeResults({ items }: Storage): ProbeResults {
  return {
    async put(id, at) {
      const item = itemOf(probeKind, keyOf(id), at, { expiresAt: plus(at, keptFor) });
      await putIf(items, item, { kind: "absent" }, `storing that the synthetic push ${id} arrived`);
    },
    async read(id) {
      const item = await items.get(keyOf(id), `reading whether the synthetic push ${id} arrived`);
      return item && valueOf(probeKind, item);
    },
  };
}
