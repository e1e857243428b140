import { expect, it } from "vitest";
import { importState } from "#app/api/transfer";
import { minutes, seconds } from "#domain/shared/time";
import { exported, lineOf } from "../app/moved.ts";
import { trackApi, worldWithApi } from "../app/world.ts";

for (const forged of [false, true])
it("B: imported rows with higher versions hide own history; rollback " + forged, async () => {
  const lookout = await worldWithApi();
  const key = await trackApi(lookout);
  await lookout.pass(seconds(5));
  const { header } = await exported(lookout.ports);
  const rec = await lookout.record(key);
  if (forged) {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ workload: key, uid: rec.uid, seq: 1, version: 500 + i, at: lookout.clock.now(), cause: "x",
      transition: { seq: 1, what: "observed", reasons: [], changes: [] } }));
    for (let i = 0; i < 1000; i += 100) {
      const a = await importState({ header, firstLine: 2, rows: [{ items: rows.slice(i, i + 100).map((value) => ({ kind: "history", form: 1, value })) }] }, lookout.ports);
      if (i === 0) console.log(a);
    }
  }
  await lookout.push("shop/api", "1.1.0", { broken: true });
  await lookout.pass(minutes(30));
  const r1 = await lookout.record(key);
  console.log(forged, "30m", lookout.image(key), r1.active?.status, r1.last?.status, (r1.last as any)?.reason);
  await lookout.pass(minutes(60));
  const r2 = await lookout.record(key);
  console.log(forged, "90m", lookout.image(key), r2.active?.status, r2.last?.status, (r2.last as any)?.reason);
  expect(1).toBe(1);
}, 120000);
