import { describe, expect, it } from "vitest";
import { labelledSeq } from "#domain/update/decide/unknown-update";
import { neverTracked } from "#domain/update/state/changes";
import { fieldManager, type LiveWorkload } from "#domain/workload/workload";
import {
  aContainer,
  aLive,
  aLiveContainer,
  anObserved,
  aPatching,
  aRecord,
  aReleased,
  aRolling,
  aWaiting,
  digest,
  image,
  installation,
} from "../builders.ts";
import { judge, progressing, recordOf } from "./judging.ts";
import { look } from "./looking.ts";
import { forward } from "./planning.ts";

/** The object with a label and an image, written by a program. */
const shows = (label: string, shown: string, manager: string | null = fieldManager): LiveWorkload =>
  aLive({
    labels: { "lookout.dev/update": label },
    containers: [
      aLiveContainer({
        image: shown,
        ...(manager === null ? {} : { imageOwner: { manager, operation: "Update" } }),
      }),
    ],
  });

const newest = image("1.5.0", "5");

describe("the number of the object's label", () => {
  it.each([
    { label: undefined, seq: 0 },
    { label: "abc123-7", seq: 7 },
    { label: "abc123-7-back", seq: 7 },
    { label: "abc123-999999999", seq: 999_999_999 },
    { label: "abc123-1000000000", seq: 0 },
    { label: "zzz999-7", seq: 0 },
    { label: "abc1234-7", seq: 0 },
    { label: "abc123-7-forth", seq: 0 },
    { label: "abc123--7", seq: 0 },
    { label: "abc123-", seq: 0 },
  ])("$label is $seq", ({ label, seq }) => {
    const labels = label === undefined ? {} : { "lookout.dev/update": label };
    expect(labelledSeq({ labels }, installation)).toBe(seq);
  });

  it.each([
    { who: "a record that is older", record: aRecord({ seq: 4 }), seq: 7 },
    { who: "a record with a later number", record: aRecord({ seq: 9 }), seq: 9 },
    { who: "a new record", record: neverTracked(aLive().workload), seq: 7 },
    { who: "a record of an update that rolls out", record: aRecord({ seq: 4, active: aRolling({ seq: 4 }) }), seq: 7 },
  ])("is taken by $who", ({ record, seq }) => {
    expect(look(record, shows("abc123-7", newest))).toMatchObject({ seq });
  });
});

describe("an observation of an image that an unknown update wrote", () => {
  it("blocks no digest", () => {
    expect(look(aRecord(), shows("abc123-7", newest))).toMatchObject({ blocked: [] });
  });

  it.each([
    { writer: "a user", object: shows("abc123-7", newest, "kubectl-set") },
    { writer: "a program that nothing names", object: shows("abc123-7", newest, null) },
    { writer: "another installation", object: shows("zzz999-7", newest) },
  ])("blocks the removed digest, if $writer wrote it", ({ object }) => {
    expect(look(aRecord(), object)).toMatchObject({ blocked: [{ digest: digest("0"), reason: "changed-by-hand" }] });
  });

  it("blocks the digest that Lookout wrote, if a user wrote another one after the last observation", () => {
    const observed = anObserved({ containers: [aContainer({ image: newest })], updateLabel: "abc123-7" });
    expect(look(aRecord({ seq: 7, observed }), shows("abc123-7", image("1.0.0"), "kubectl-set"))).toMatchObject({
      blocked: [{ digest: digest("5"), reason: "changed-by-hand" }],
    });
  });
});

describe("a released update", () => {
  const ended = { last: { status: "superseded", reason: "unknown-update" }, needsEvaluation: true };

  it.each([
    { label: "a later number", object: shows("abc123-7", newest), seq: 7 },
    { label: "a later number beside the known images", object: shows("abc123-7", image("1.0.0")), seq: 7 },
    { label: "its number beside another image of Lookout", object: shows("abc123-1", newest), seq: 1 },
    { label: "its number beside the former image of Lookout", object: shows("abc123-1", image("1.0.0")), seq: 1 },
  ])("ends without a hold and without a block if the label has $label", ({ object, seq }) => {
    const plan = forward(aReleased(), object);
    expect(plan).toMatchObject({ kind: "store", record: { ...ended, seq, blocked: [] } });
    expect(recordOf(plan as never)).not.toHaveProperty("hold");
  });

  it("ends so at the next observation too", () => {
    const next = look(aRecord({ seq: 1, active: aReleased() }), shows("abc123-7", newest));
    expect(next).toMatchObject({ ...ended, seq: 7, blocked: [] });
  });

  it("ends as already running if the later update wrote the same image", () => {
    expect(forward(aReleased(), shows("abc123-7", image("1.1.0", "1")))).toMatchObject({
      record: { seq: 7, last: { reason: "already-runs" } },
    });
  });

  it.each(["kubectl-rollout", null])(
    "is reverted by a user if its number is beside a former image of %s",
    (manager) => {
      const plan = forward(aReleased(), shows("abc123-1", image("1.0.0"), manager));
      expect(plan).toMatchObject({ record: { hold: { reason: "reverted-by-user", seq: 1 } } });
    },
  );

  it.each([aReleased(), aPatching()])("blocks its digest if the label says that it was rolled back: $status", (one) => {
    expect(forward(one, shows("abc123-1-back", image("1.0.0")))).toMatchObject({
      record: { ...ended, blocked: [{ digest: digest("1"), reason: "rollout-failed", seq: 1 }] },
    });
  });
});

describe("an update whose patch was sent", () => {
  it("blocks its digest if an admission webhook wrote another image, so that it is not patched again and again", () => {
    expect(forward(aPatching(), shows("abc123-1", newest))).toMatchObject({
      record: { last: { reason: "changed-by-hand" }, blocked: [{ digest: digest("1") }] },
    });
  });
});

describe("a rollout", () => {
  const judged = (object: LiveWorkload, active = aRolling()) =>
    recordOf(judge(active, { ...progressing, live: object }));

  it.each([aRolling(), aWaiting("paused")])("ends without a block if a later update is on the object", (active) => {
    const next = judged(shows("abc123-7", newest), active);
    expect(next).toMatchObject({ seq: 7, last: { status: "superseded", reason: "unknown-update" }, blocked: [] });
    expect(next).not.toHaveProperty("hold");
  });

  it("ends with a block if its own rollback is on the object", () => {
    const next = judged(shows("abc123-1-back", image("1.0.0")));
    expect(next).toMatchObject({ blocked: [{ digest: digest("1"), reason: "rollout-failed", seq: 1 }] });
    expect(next).not.toHaveProperty("hold");
  });

  it.each([
    { what: "a user reverted it", object: shows("abc123-1", image("1.0.0"), "kubectl"), last: "reverted" },
    {
      what: "a user reverted it under a later label",
      object: shows("abc123-7", image("1.0.0"), "kubectl"),
      last: "reverted",
    },
    {
      what: "a user replaced it under a later label",
      object: shows("abc123-7", newest, "kubectl"),
      last: "superseded",
    },
  ])("is a user's change if $what", ({ object, last }) => {
    const next = judged(object);
    expect(next?.last).toMatchObject({ status: last });
    expect(next?.last).not.toMatchObject({ reason: "unknown-update" });
    expect(next?.hold ?? next?.blocked[0]).toMatchObject({ seq: 1 });
  });
});
