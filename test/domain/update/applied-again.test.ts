import { noCheckFacts } from "#domain/checks/facts";
import { observe } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { observedFrom } from "#domain/update/decide/observed-changes";
import { planForward } from "#domain/update/decide/patch";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { judgeRollout } from "#domain/update/decide/verify";
import type { FieldOwner } from "#domain/workload/workload";
import {
  decided,
  aContainer,
  aLive,
  aLiveContainer,
  anEnded,
  aNewerChange,
  anObserved,
  aPatched,
  aPatching,
  aRecord,
  aReleased,
  aRolling,
  digest,
  image,
  imageName,
  installation,
  limits,
  noon,
  settingsOf,
} from "../builders.ts";
import { progressing } from "./judging.ts";

const bot: FieldOwner = { manager: "deploy-bot", operation: "Update" };
const lookout: FieldOwner = { manager: "lookout", operation: "Update" };

/** The object after the tool wrote the image from before, with Lookout's label. */
const restored = aPatched(image("1.0.0"), { containers: [aLiveContainer({ imageOwner: bot })] });
const before = anObserved({ containers: [aContainer({ applied: image("1.0.0") })] });
const after = anObserved({
  containers: [aContainer({ image: image("1.1.0", "1"), digest: digest("1"), applied: image("1.0.0") })],
  updateLabel: `${installation}-1`,
});
const held = (isDoubtful: boolean) => [
  { imageName, digest: digest("1"), tag: "1.1.0", image: image("1.0.0"), manager: "deploy-bot", at: noon, isDoubtful },
];

/** What Lookout decides at each place that sees the restored image, with a list of appliers. */
const places: readonly {
  readonly when: string;
  readonly isDoubtful: boolean;
  readonly decide: (appliers: readonly string[] | undefined) => WorkloadRecord | undefined;
}[] = [
  {
    when: "after a success",
    isDoubtful: false,
    decide: (appliers) => {
      const record = aRecord({ seq: 1, last: anEnded(), landed: anEnded(), observed: after });
      return observe(record, { live: restored, running: undefined, installation, appliers }, noon);
    },
  },
  {
    when: "before the next patch, at an observation",
    isDoubtful: false,
    decide: (appliers) => {
      const active = aReleased({ seq: 2, changes: [aNewerChange({ from: image("1.1.0", "1") })] });
      const record = aRecord({ seq: 2, active, last: anEnded(), landed: anEnded(), observed: after });
      return observe(record, { live: restored, running: undefined, installation, appliers }, noon);
    },
  },
  {
    when: "before the next patch, at the patch",
    isDoubtful: false,
    decide: (appliers) => {
      const active = aReleased({ seq: 2, changes: [aNewerChange({ from: image("1.1.0", "1") })] });
      const record = aRecord({ seq: 2, active, last: anEnded(), landed: anEnded(), observed: after });
      return planned(record, active, appliers);
    },
  },
  {
    when: "right after the patch",
    isDoubtful: true,
    decide: (appliers) => {
      const active = aPatching();
      return planned(aRecord({ seq: 1, active, observed: before }), active, appliers);
    },
  },
  {
    when: "during the rollout",
    isDoubtful: true,
    decide: (appliers) => {
      const active = aRolling();
      const record = aRecord({ seq: 1, active, observed: before });
      const health = { ...progressing, live: restored };
      const settings = withAppliers(record, appliers);
      const verdict = judgeRollout(
        record,
        active,
        { health, installation, settings, limits, checks: noCheckFacts },
        noon,
      );
      return verdict.kind === "decided" ? decided(record, verdict.decision!) : undefined;
    },
  },
];

function withAppliers(record: WorkloadRecord, appliers: readonly string[] | undefined) {
  return { ...settingsOf(record), ...(appliers && { appliers }) };
}

function planned(
  record: WorkloadRecord,
  active: Parameters<typeof planForward>[0]["active"],
  appliers: readonly string[] | undefined,
): WorkloadRecord | undefined {
  const settings = withAppliers(record, appliers);
  const plan = planForward({ record, active, live: restored, installation, settings, now: noon });
  return plan.kind === "decided" ? decided(record, plan.decision) : undefined;
}

describe.each(places)("an image that a deploy tool restores $when", ({ decide, isDoubtful }) => {
  it("only holds its digest if lookout.yaml names the tool", () => {
    const record = decide(["other", "deploy-*"]);

    expect(record?.restored).toEqual(held(isDoubtful));
    expect(record?.hold).toBeUndefined();
  });

  it.each([[undefined], [["deploy"]]])("holds the workload if lookout.yaml names %s", (appliers) => {
    const record = decide(appliers);

    expect(record?.restored).toBeUndefined();
    expect(record?.hold).toMatchObject({ reason: "reverted-by-user" });
  });
});

describe("an image that a deploy tool restores after a newer update ended without a patch", () => {
  const record = aRecord({ seq: 2, last: anEnded({ seq: 2 }), observed: after });
  const next = observe(record, { live: restored, running: undefined, installation, appliers: ["deploy-*"] }, noon);

  it("is a change of the workload, and of no update", () => {
    expect(next).toMatchObject({
      last: record.last,
      needsEvaluation: true,
      observed: { containers: [{ image: image("1.0.0") }] },
    });
    expect(next?.transitions).toMatchObject([{ seq: 0, what: "observed" }]);
  });
});

describe("the author of the image that Lookout's update keeps", () => {
  const written = { applied: image("1.0.0"), appliedBy: bot };
  const seen = (owner: FieldOwner | undefined, known: object) => {
    const live = aLive({
      containers: [aLiveContainer({ image: image("1.1.0", "1"), ...(owner && { imageOwner: owner }) })],
    });
    const [container] = observedFrom(live, undefined, anObserved({ containers: [aContainer(known)] }), noon).containers;
    return { applied: container?.applied, appliedBy: container?.appliedBy };
  };

  it("is the writer of the image that is no one of Lookout's", () => {
    expect(seen(bot, {})).toEqual({ applied: image("1.1.0", "1"), appliedBy: bot });
  });

  it.each([[lookout], [undefined]])("stays after a write of %o", (owner) => {
    expect(seen(owner, written)).toEqual(written);
  });

  it("is unknown if nobody knew it", () => {
    expect(seen(lookout, { applied: image("1.0.0") })).toEqual({ applied: image("1.0.0"), appliedBy: undefined });
    expect(seen(lookout, {})).toEqual({ applied: undefined, appliedBy: undefined });
  });
});
