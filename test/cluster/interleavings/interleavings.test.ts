import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ports } from "#app/shared/ports";
import type { Cluster } from "#ports/cluster";
import { updateLabelKey, imageOf } from "#domain/workload/workload";
import { writeSections } from "../../../tools/page-sections.ts";
import { writesOf } from "./lost-edits.ts";
import { sentTooLate } from "./decisions.ts";
import { peers } from "./peers.ts";
import { decisionPlan, lookoutPlan, peerPlan } from "./plan.ts";
import { createAtOnce, playLookout, playPeer, type Stage } from "./play.ts";
import { broken, imageIn } from "./promises.ts";
import { type Scenery, setScenery } from "./stage.ts";
import { answered, decisionSummary, type Judged, lossTable, lostBy, type Row, summary } from "./table.ts";
import { image } from "./workload.ts";

const count = Math.max(2_000, Number(process.env.INTERLEAVINGS ?? 0));
/**
 * The number of interleavings with votes and freezes. `npm run proof:interleavings` plays 2,000.
 */
const ofDecisions = Number(process.env.INTERLEAVINGS ?? 100);
const ofPeers = Math.ceil(count / 5);
const atOnce = 12;
const seeds = (howMany: number): readonly number[] => Array.from({ length: howMany }, (_, seed) => seed);

let scenery: Scenery;
let stage: Stage;
let lookout: Row;
let decided: Row;
let others: readonly Row[];

beforeAll(async () => {
  scenery = await setScenery({ controllers: false });
  const { api, cluster } = scenery;
  stage = { api, cluster, create: (plan) => createAtOnce(plan, api) };
  const plays = seeds(count).map((seed) => () => playLookout(lookoutPlan(seed), stage));
  lookout = await scenery.playAll("Lookout", plays, atOnce);
  const decisions = seeds(ofDecisions).map((seed) => () => playLookout(decisionPlan(seed), stage));
  decided = await scenery.playAll("Lookout with votes and freezes", decisions, atOnce);
  const rows: Row[] = [];
  for (const [index, peer] of peers.entries()) {
    const plays = seeds(ofPeers).map((seed) => () => playPeer(peer, peerPlan(seed, index), stage));
    rows.push(await scenery.playAll(peer.name, plays, atOnce));
  }
  others = rows;
});

afterAll(async () => {
  const rows = [lookout, decided, ...others];
  const lines = [summary(lookout), `${summary(decided)}, ${decisionSummary(decided)}`, ...others.map(summary)];
  const figures = lines.map((line) => `- ${line}`).join("\n");
  console.log(`\n${lossTable(rows)}\n\n${figures}\n`);
  if (process.env.LOOKOUT_WRITE_PAGE !== undefined) await writeSections("interleavings.md", { figures });
  await scenery.stop();
});

const nameOf = ({ played }: Judged): string => played.plan.target.name;
const endOf = ({ steps }: Judged): string => imageIn(steps.at(-1)?.after.fields ?? new Map());
const written = (tag: string): string => image("shop/api", tag);

describe("users, programs and Lookout on one real API server", () => {
  it("lose no edit to Lookout", () => {
    const lost = lookout.judged.flatMap((one) => one.lost.map(({ what }) => `${nameOf(one)}: ${what}`));

    expect(lost).toEqual([]);
    expect(lookout.judged).toHaveLength(count);
  });

  it("lose no edit when a person rejects or freezes the update, and see no patch of it after the answer", () => {
    const wrong = decided.judged.flatMap((one) => [
      ...one.lost.map(({ what }) => `${nameOf(one)}: ${what}`),
      ...sentTooLate(one.played.decided, one.played.sent).map((what) => `${nameOf(one)}: ${what}`),
      ...broken(one.steps, "pin").map((what) => `${nameOf(one)}: ${what}`),
      ...one.played.failures,
    ]);

    expect(wrong).toEqual([]);
    expect(decided.judged).toHaveLength(ofDecisions);
    expect(answered(decided, "rejection")).toBeGreaterThan(0);
    expect(answered(decided, "freeze")).toBeGreaterThan(0);
  });

  it.each([
    ["that stores no rejection", withoutRejections],
    ["whose gates see no freeze", withoutFreezes],
  ])("would see a patch after the answer from a Lookout %s", async (_what, tamper) => {
    const plans = seeds(60).map((seed) => decisionPlan(seed));
    const plays = plans.map(
      (plan) => () =>
        playLookout(
          { ...plan, target: { ...plan.target, name: `${tamper.name.toLowerCase()}-${plan.target.name}` } },
          { ...stage, tamper },
        ),
    );
    const { judged } = await scenery.playAll("Lookout with a fault", plays, atOnce);

    expect(judged.flatMap(({ played }) => sentTooLate(played.decided, played.sent))).not.toEqual([]);
  });

  it("see only changes of images, the label and Lookout's annotations, once for each update, and none after a revert", () => {
    const wrong = lookout.judged.flatMap((one) =>
      broken(one.steps, one.played.plan.nature.apply).map((what) => `${nameOf(one)}: ${what}`),
    );

    expect(wrong).toEqual([]);
    expect(lookout.judged.flatMap(({ played }) => played.failures)).toEqual([]);
  });

  it("keep their change when they undo Lookout's update just before its next patch", () => {
    const undone = lookout.judged.filter(({ played: { plan } }) => {
      const early = plan.acts.every(
        ({ edit, at }) => edit.what === "rollout undo" && !/flight|after the patch/.test(at),
      );
      return plan.earlier && plan.acts.length === 1 && early;
    });

    expect(undone).not.toEqual([]);
    expect(undone.filter((one) => endOf(one) !== written("1.0.0") || writesOf(one.steps).length !== 1)).toEqual([]);
  });

  it("see at most one write of each of two Lookouts, and end with the newest image of one Lookout", () => {
    const met = lookout.judged.filter(({ played: { plan } }) => plan.second !== undefined && plan.acts.length === 0);
    const writesBy = ({ steps }: Judged, who: string): number =>
      writesOf(steps).filter(({ what }) => what === who).length;
    const fought = met.filter(
      (one) =>
        writesBy(one, "Lookout") > 1 ||
        writesBy(one, "another Lookout") > 1 ||
        endOf(one) !== written(one.played.plan.second?.tag ?? ""),
    );

    expect(met).not.toEqual([]);
    expect(fought.map(nameOf)).toEqual([]);
  });

  it("lose edits to the other programs", () => {
    expect(others.map((row) => lostBy(row) > 0)).toEqual(others.map(() => true));
  });

  it("would lose edits to a Lookout without its guards", async () => {
    const unguarded: Stage = { ...stage, cluster: withoutGuards(stage.cluster) };
    const plans = seeds(100).map((seed) => lookoutPlan(seed));
    const plays = plans.map(
      (plan) => () => playLookout({ ...plan, target: { ...plan.target, name: `un${plan.target.name}` } }, unguarded),
    );

    expect(lostBy(await scenery.playAll("Lookout without guards", plays, atOnce))).toBeGreaterThan(0);
  });
});

/** Breaks the store: it confirms a rejection without storing it. */
function withoutRejections({ store }: Ports): void {
  const write = store.write.bind(store);
  store.write = async (record) => (record.effects.vote?.decision === "reject" ? { kind: "written" } : write(record));
}

function withoutFreezes({ freezes }: Ports): void {
  freezes.list = async () => [];
}

/** Returns a cluster without guards: it takes their values from a read just before the patch. */
function withoutGuards(cluster: Cluster): Cluster {
  return {
    ...cluster,
    async patch(patch, signal) {
      const read = await cluster.read(patch.workload, signal);
      if (read.kind !== "found") return { kind: "read-again" };
      const { live } = read;
      const images = patch.images.map((one) => ({ ...one, from: imageOf(live, one) ?? one.from }));
      const updateLabel = { ...patch.updateLabel, from: live.labels[updateLabelKey] };
      const { unchangedAnnotations: _, ...rest } = patch;
      const { uid, generation, existingMaps } = live;
      return cluster.patch({ ...rest, uid, generation, existingMaps, images, updateLabel }, signal);
    },
  };
}
