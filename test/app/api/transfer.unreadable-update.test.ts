import { expect, it } from "vitest";
import { importState } from "#app/api/transfer";
import { exported } from "../moved.ts";
import { trackApi, worldWithApi } from "../world.ts";

it.each([
  { what: "an active update without its parts", part: { active: { status: "rolling-back", seq: 3 } } },
  { what: "an active update of an unknown status", part: { active: { status: "x", seq: 3 } } },
  { what: "a pending update with an empty wait", part: { pending: { seq: 2, waits: [null] } } },
])("an import with $what is refused at its line, and stores nothing", async ({ part }) => {
  const from = await worldWithApi();
  const key = await trackApi(from);
  const { header, rows } = await exported(from.ports);
  const spoilt = rows.map((row) => (row.kind === "record" ? { ...row, record: { ...row.record, ...part } } : row));
  const { ports } = await worldWithApi();
  const line = rows.findIndex(({ kind }) => kind === "record") + 2;

  for (const checkOnly of [true, false])
    expect(await importState({ header, firstLine: 2, rows: spoilt, checkOnly }, ports)).toEqual({
      kind: "bad-line",
      detail: `line ${line}: the update of the record can't be read`,
    });
  expect(await ports.store.read(key)).toBeUndefined();
});
