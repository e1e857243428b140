import { describe, expect, it } from "vitest";
import { compareWithRunning } from "#domain/update/decide/desired-image";
import { observedFrom } from "#domain/update/decide/observed-changes";
import {
  aChange,
  aContainer,
  aLive,
  aLiveContainer,
  anObserved,
  aPatched,
  aReleased,
  aRolling,
  aRollingBack,
  digest,
  noon,
  settingsOf,
  aRecord,
} from "../builders.ts";
import { failed, judge, recordOf } from "./judging.ts";
import { back, forward, sideChange, sideLive } from "./planning.ts";

const repository = "registry.test/shop/app";
const unset = { image: repository, isUnset: true } as const;
const live = aLive({ containers: [aLiveContainer(unset)] });
const observed = anObserved({ containers: [aContainer(unset)] });
const first = aChange({ from: repository, isFirst: true });

describe("the first image of a container", () => {
  it("is written under the guards of the object, and claims no value before", () => {
    expect(forward(aReleased({ changes: [first] }), live, { observed })).toMatchObject({
      kind: "patch",
      patch: {
        uid: live.uid,
        generation: live.generation,
        images: [{ list: "containers", index: 0, name: "app", from: repository, isFirst: true, to: first.to }],
        annotations: { "lookout.dev/status.previous-image": "app=none" },
      },
    });
  });

  it.each([
    [
      "a person wrote the repository without a tag",
      observed,
      aLive({ containers: [aLiveContainer({ image: repository })] }),
    ],
    ["a person removed the image", anObserved({ containers: [aContainer({ image: repository })] }), live],
  ])("is selected again if %s before the patch", (_, before, now) => {
    const plan = forward(aReleased({ changes: [first] }), now, { observed: before });

    expect(plan.kind === "store" && plan.record.last).toMatchObject({ status: "superseded" });
  });

  it.each(["1.1.0", "latest"])("is the tag %s, also with the settings of restarts", (tag) => {
    const settings = settingsOf(aRecord({ observed })).containers["app"];
    if (settings === undefined) throw new Error("no settings");
    const restarting = { ...settings, apply: "restart", strategy: "digest" } as const;
    const desired = compareWithRunning(aContainer(unset), restarting, tag, { digest: digest("1"), platforms: [] }, []);

    expect(desired).toMatchObject({
      kind: "change",
      change: { apply: "tag", from: repository, to: `${repository}:${tag}`, isFirst: true },
    });
  });

  it("has no digest, whatever the pods run", () => {
    const { containers } = observedFrom(live, { app: [digest("9"), digest("8")] }, undefined, noon);

    expect(containers).toEqual([{ list: "containers", name: "app", ...unset, seenAt: noon, applied: repository }]);
  });

  it("stays after a failure, because there is none before it, and its digest is blocked", () => {
    const record = recordOf(judge(aRolling({ changes: [first] }), failed));

    expect(record).toMatchObject({
      last: {
        status: "failed",
        reason: "rollout-failed",
        detail: "app: ErrImagePull; app had no image before, and keeps this one until a newer tag comes",
      },
      blocked: [{ digest: first.digest }],
    });
    expect(record).not.toHaveProperty("active");
  });

  it("stays while the other containers of a failed update get their images again", () => {
    const changes = [first, sideChange];
    const shown = aPatched(first.to, {
      containers: [aLiveContainer({ image: first.to }), { ...sideLive, image: sideChange.to }],
    });
    const record = recordOf(judge(aRolling({ changes }), { ...failed, live: shown }));

    expect(record?.active).toMatchObject({ status: "rolling-back" });
    expect(back(aRollingBack({ changes }), shown)).toMatchObject({
      kind: "patch",
      patch: { images: [{ name: "side", from: sideChange.to, to: sideChange.from }] },
    });
  });
});
