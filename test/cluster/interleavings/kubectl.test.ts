import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands, rolledOutTwice } from "./commands.ts";
import { points } from "./gate.ts";
import { writesOf } from "./lost-edits.ts";
import type { Plan } from "./plan.ts";
import { playLookout } from "./play.ts";
import { broken } from "./promises.ts";
import { type Scenery, setScenery } from "./stage.ts";
import { lossTable, type Row, summary } from "./table.ts";

let scenery: Scenery;
let row: Row;

/**
 * Returns a plan for each command and moment, except in flight, where generations have no clear
 * author.
 */
function plans({ plane, history }: Scenery): readonly Plan[] {
  const moments = points.filter((point) => point !== "in flight");
  return commands(plane, history).flatMap((edit, command) =>
    moments.map((at, moment): Plan => {
      const name = `typed-${command}-${moment}`;
      const nature = { labelled: moment % 2 === 0, apply: "pin", replicas: 1 } as const;
      const acts = [{ edit, at, delayMs: 0 }];
      return { target: { kind: "Deployment", name }, nature, earlier: false, direction: "forward", acts };
    }),
  );
}

beforeAll(async () => {
  scenery = await setScenery({ controllers: true });
  const { api, cluster } = scenery;
  const stage = { api, cluster, create: (plan: Plan) => rolledOutTwice(plan, api) };
  const plays = plans(scenery).map((plan) => () => playLookout(plan, stage));
  row = await scenery.playAll("Lookout", plays, 6);
});

afterAll(async () => {
  console.log(["", lossTable([row]), "", summary(row), ""].join("\n"));
  await scenery.stop();
});

describe("kubectl and an autoscaler beside Lookout, with all controllers", () => {
  it("lose no change", () => {
    const lost = row.judged.flatMap(({ played, lost }) =>
      lost.map(({ what }) => `${played.plan.target.name}: ${what}`),
    );

    expect(lost).toEqual([]);
    expect(row.judged.flatMap(({ steps }) => writesOf(steps))).not.toEqual([]);
  });

  it("see only changes of images, the label and Lookout's annotations", () => {
    const wrong = row.judged.flatMap(({ played, steps }) =>
      broken(steps, "pin").map((what) => `${played.plan.target.name}: ${what}`),
    );

    expect(wrong).toEqual([]);
    expect(row.judged.flatMap(({ played }) => played.failures)).toEqual([]);
  });
});
