import { describe, expect, it } from "vitest";
import { labelValue } from "#domain/update/decide/attribute-labels";
import type { LiveWorkload } from "#domain/workload/workload";
import {
  aChange,
  aContainer,
  aLive,
  annotated,
  anObserved,
  aPatched,
  aPatching,
  aReleased,
  aRollingBack,
  digest,
  image,
} from "../builders.ts";
import { back, forward, sideChange, sideLive } from "./planning.ts";

const asked = (labels: string, more: Readonly<Record<string, string>> = {}) => ({
  "attribute-labels": labels,
  ...more,
});
const observed = (settings: Readonly<Record<string, string>>, ...more: Parameters<typeof aContainer>) => ({
  observed: anObserved({
    annotations: annotated(settings),
    containers: [aContainer(), ...more.map((one) => aContainer(one))],
  }),
});

describe("the labels of an update's pods", () => {
  const labelled = (settings: Readonly<Record<string, string>>, live: Partial<LiveWorkload> = {}) => {
    const object = aLive({ annotations: annotated(settings), ...live });
    const plan = forward(aReleased(), object, observed(settings));
    return plan.kind === "patch" ? plan.patch.attributeLabels : plan;
  };

  it("are written with the image, and the intent remembers what they replace", () => {
    const settings = asked("version=tag,name,digest");
    const live = aLive({ annotations: annotated(settings), attributeLabels: { version: "1.0.0", old: "x" } });
    const plan = forward(aReleased(), live, observed(settings));
    const change = {
      from: { version: "1.0.0", old: "x" },
      to: { version: "1.1.0", name: "registry.test-shop-app", digest: labelValue(digest("1")) },
    };

    expect(plan).toMatchObject({
      kind: "patch",
      patch: { attributeLabels: change },
      intent: { changes: { active: { status: "patching", attributeLabels: change } } },
    });
  });

  it("are not written if they would not change", () => {
    expect(labelled(asked("version=tag"), { attributeLabels: { version: "1.1.0" } })).toBeUndefined();
  });

  it("of an earlier update are removed if the setting is gone", () => {
    expect(labelled({}, { attributeLabels: { version: "1.0.0" } })).toEqual({ from: { version: "1.0.0" }, to: {} });
  });

  it("are not written if the value is invalid", () => {
    expect(labelled(asked("version=tag,version=name"))).toBeUndefined();
  });

  it("replace those of a stored intent", () => {
    const stored = aPatching({ attributeLabels: { from: { version: "1.0.0" }, to: { version: "1.1.0" } } });
    const plan = forward(stored, aLive());

    expect(plan).toMatchObject({ intent: { changes: { active: aPatching() } }, isStored: false });
    expect(plan.kind === "patch" && plan.intent.changes.active).not.toHaveProperty("attributeLabels");
  });

  it("for which containers have different values are left out", () => {
    const settings = asked("version=tag", { "container.side.attribute-labels": "version=tag,side=tag" });
    const live = aLive({ annotations: annotated(settings), containers: [...aLive().containers, sideLive] });
    const active = aReleased({ changes: [aChange(), sideChange] });
    const plan = forward(active, live, observed(settings, { name: "side", image: sideLive.image }));

    expect(plan.kind === "patch" && plan.patch.attributeLabels).toEqual({ from: {}, to: { side: "4.1.0" } });
  });
});

describe("the labels of a rollback's pods", () => {
  const before = { from: { version: "1.0.0" }, to: { version: "1.1.0" } };
  const live = (labels: Readonly<Record<string, string>> | undefined) =>
    aPatched(image("1.1.0", "1"), labels === undefined ? {} : { attributeLabels: labels });
  const labels = (plan: ReturnType<typeof back>) => (plan.kind === "patch" ? plan.patch.attributeLabels : plan);

  it("are those from before the update", () => {
    expect(labels(back(aRollingBack({ attributeLabels: before }), live({ version: "1.1.0" })))).toEqual({
      from: { version: "1.1.0" },
      to: { version: "1.0.0" },
    });
  });

  it("stay if the update changed none", () => {
    expect(labels(back(aRollingBack(), live({ version: "mine" })))).toBeUndefined();
  });

  it("are those of the image that rollback-to names", () => {
    const settings = asked("version=tag");
    const changes = [aChange({ back: { tag: "0.9.0", digest: digest("9"), to: image("0.9.0", "9") } })];
    const plan = back(
      aRollingBack({ changes, attributeLabels: before }),
      { ...live({ version: "1.1.0" }), annotations: annotated(settings) },
      observed(settings),
    );

    expect(labels(plan)).toEqual({ from: { version: "1.1.0" }, to: { version: "0.9.0" } });
  });
});

describe("the value of a label", () => {
  it.each([
    ["1.4.0", "1.4.0"],
    ["registry.test/shop/api", "registry.test-shop-api"],
    [`sha256:${"a".repeat(64)}`, `sha256-${"a".repeat(56)}`],
    ["_-1.0-_", "1.0"],
    [`${"a".repeat(62)}.b`, "a".repeat(62)],
    ["feature+x", "feature-x"],
    ["ünïcode", "n-code"],
    ["---", ""],
    ["", ""],
  ])("of %s is %s", (text, value) => {
    expect(labelValue(text)).toBe(value);
    expect(value).toMatch(/^(?:[a-z0-9](?:[\w.-]{0,61}[a-z0-9])?)?$/i);
  });
});
