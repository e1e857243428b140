import { expect, it } from "vitest";
import { importState } from "#app/api/transfer";
import { changed, exported, kindOf } from "../moved.ts";
import { trackApi, worldWithApi } from "../world.ts";

it.each([
  {
    what: "an active update without its parts",
    part: { active: { status: "rolling-back", seq: 3 } },
    why: 'its member "active.changes" is missing',
  },
  {
    what: "an active update of an unknown status",
    part: { active: { status: "x", seq: 3 } },
    why: 'its member "active.status" is not as expected',
  },
  {
    what: "a pending update with an empty wait",
    part: { pending: { seq: 2, waits: [null] } },
    why: 'its member "pending.changes" is missing',
  },
])("an import with $what is refused at its line, and stores nothing", async ({ part, why }) => {
  const from = await worldWithApi();
  const key = await trackApi(from);
  const { header, rows } = await exported(from.ports);
  const spoilt = rows.map((row) => changed([row], "record", (record) => ({ ...record, ...part }))[0] ?? row);
  const { ports } = await worldWithApi();
  const line = rows.findIndex((row) => kindOf(row) === "record") + 2;

  for (const checkOnly of [true, false])
    expect(await importState({ header, firstLine: 2, rows: spoilt, checkOnly }, ports)).toEqual({
      kind: "bad-line",
      detail: `line ${line}: record: ${why}`,
    });
  expect(await ports.store.read(key)).toBeUndefined();
});
