import { type EpochMs, epochMs, hours, plus } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import type { ProbeResults } from "#ports/probe-results";
import { ok, problem } from "#domain/shared/result";
import { itemOf, type Kind, type Storage, valueOf } from "./kind.ts";
import { putIf } from "./writes.ts";

/** The arrival of a synthetic push. */
export const kind: Kind<EpochMs> = {
  name: "arrival of a synthetic push",
  form: 1,
  read: (value) => (typeof value === "number" ? ok(epochMs(value)) : problem("it is not a number")),
};

const keptFor = hours(1);

function keyOf(id: string): ItemKey {
  return { pk: "DOCTOR", sk: `PROBE#${id}` };
}

/** Returns the store of synthetic pushes that arrived. Each push has one item, which expires after an hour. */
export function storedProbeResults({ items }: Storage): ProbeResults {
  return {
    async put(id, at) {
      const item = itemOf(kind, keyOf(id), at, { expiresAt: plus(at, keptFor) });
      await putIf(items, item, { kind: "absent" }, `storing that the synthetic push ${id} arrived`);
    },
    async read(id) {
      const item = await items.get(keyOf(id), `reading whether the synthetic push ${id} arrived`);
      return item && valueOf(kind, item);
    },
  };
}
