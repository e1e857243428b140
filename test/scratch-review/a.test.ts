import { expect, it } from "vitest";
import { freeze } from "#app/api/freezes";
import { importState } from "#app/api/transfer";
import { reap } from "#app/gate/reap";
import { minutes, seconds } from "#domain/shared/time";
import { changed, exported, movedFrom } from "../app/moved.ts";
import { trackApi, worldWithApi, host } from "../app/world.ts";
import { lookoutByHand } from "../app/by-hand.ts";

it("A: forged tracked:false with pending", async () => {
  const lookout = await worldWithApi();
  const evil = await lookout.push("shop/api", "evil", { quietly: true });
  const key = await trackApi(lookout, {"lookout.dev/policy": "semver >=1 <2"});
  await freeze({ scope: {}, by: "ana", why: "x" }, lookout.ports);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(2));
  const { header, rows } = await exported(lookout.ports);
  const recs = changed(rows, "record", (r: any) => ({ ...r, tracked: false, needsEvaluation: undefined,
    pending: { ...r.pending, waits: [{reason: "frozen"}], changes: r.pending.changes.map((c: any) => ({ ...c, tag: "evil", digest: evil, to: `${host}/shop/api:evil@${evil}` })) } })).map((r) => JSON.parse(JSON.stringify(r)));
  lookout.loseMessages();
  const { cluster, registry, clock } = lookout;
  const other = lookoutByHand({ installation: "zzz999", clock, cluster, clusterName: "prod", registry });
  const ans = await importState({ header, firstLine: 2, rows: recs }, other.ports);
  console.log(ans);
  const r = await other.ports.store.read(key);
  console.log(JSON.stringify({ t: r?.tracked, n: r?.needsEvaluation, p: r?.pending?.waits, e: r?.effects }));
  await other.settle();
  await other.pass(minutes(3));
  await reap(other.ports);
  await other.settle();
  await other.pass(minutes(3));
  const rows2 = await other.ports.ledger.read(key, 50);
  console.log(rows2.map((x) => `${x.transition.what} ${x.transition.reasons.map((q) => q.reason)} ${x.transition.changes.map((c)=>c.tag)}`));
  console.log(lookout.image(key));
  expect(1).toBe(1);
});
