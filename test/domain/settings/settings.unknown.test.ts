import { describe, expect, it } from "vitest";
import { whyUnknown } from "#domain/settings/unknown-setting";
import { writtenInKey } from "#domain/annotations/written-settings";

const containers = [
  { list: "containers", name: "api" },
  { list: "containers", name: "sidecar" },
  { list: "initContainers", name: "migrate" },
  { list: "volumes", name: "volume.models" },
] as const;

const whyWrong = (key: string) => whyUnknown(writtenInKey(`lookout.dev/${key}`, ""), containers);

describe("a misspelt key", () => {
  it.each([
    ["polcy", "policy"],
    ["semver_range", "semver-range"],
    ["applt", "apply"],
    ["conatiners", "containers"],
    ["blackout-tz", "maintenance-tz"],
    ["maintenance-timezone", "maintenance-tz"],
    ["maintenance-Time-Zone", "maintenance-tz"],
    ["tz", "maintenance-tz"],
    ["zone", "maintenance-tz"],
    ["contaner.api.policy", "container.api.policy"],
    ["containers.api.policy", "container.api.policy"],
    ["Container.api.policy", "container.api.policy"],
    ["initcontainer.migrate.enabled", "initContainer.migrate.enabled"],
    ["contaner.sidcar.polcy", "container.sidecar.policy"],
    ["contaner.migrate.enabled", "initContainer.migrate.enabled"],
    ["volme.models.policy", "volume.NAME.policy"],
    ["contaner.nothing-near.policy", "container.NAME.policy"],
    ["contaner.a.p.i.policy", "container.NAME.policy"],
    ["container.policy", "container.NAME.policy"],
    ["initContainer.enabled", "initContainer.NAME.enabled"],
    ["container.api", "container.NAME.SETTING"],
    ["Container.api.something-else", "container.api.SETTING"],
  ])("%s suggests %s", (key, meant) => {
    expect(whyWrong(key)).toBe(`is not a setting; did you mean ${meant}?`);
  });

  it.each(["something-else-entirely", "quartz", "ozone", "time-zones", "zone.policy", "a.container.api.policy", ""])(
    '"%s" has no suggestion',
    (key) => {
      expect(whyWrong(key)).toBe("is not a setting");
    },
  );
});

describe("a key of a workload", () => {
  it.each([
    ...["enabled", "policy", "semver-range", "include-tags", "exclude-tags", "tag-pattern", "filter-extract", "order"],
    ...["strategy", "apply", "allow-prerelease", "allow-downgrade", "containers", "suspend", "maintenance-window"],
    ...["maintenance-days", "maintenance-cron", "maintenance-tz", "blackout-window", "blackout-days", "blackout-cron"],
    ...["auto-rollback", "rollback-timeout", "allow-declared-source", "registry", "repository", "approval-required"],
    ...["approved-by", "approved-image", "approvals", "approval-deadline", "approve", "min-age", "platforms", "tier"],
    ...[
      "max-severity",
      "signed-by",
      "rollback-to",
      "pull-grace",
      "interval",
      "notify-slack",
      "notify-webhook",
      "previous-image",
    ],
  ])("may be %s", (key) => {
    expect(whyWrong(key)).toBeUndefined();
  });
});

describe("a key of a container", () => {
  it.each([
    ...["enabled", "policy", "semver-range", "include-tags", "exclude-tags", "tag-pattern", "filter-extract", "order"],
    ...["strategy", "apply", "allow-prerelease", "allow-downgrade", "registry", "repository"],
  ])("may be %s", (setting) => {
    expect(whyWrong(`container.api.${setting}`)).toBeUndefined();
  });

  it.each([
    ["container.apii.policy", "names no container of this workload; did you mean api?"],
    ["container.migrat.policy", "names no container of this workload; did you mean initContainer.migrate?"],
    ["initContainer.migrat.enabled", "names no init container of this workload; did you mean migrate?"],
    ["initContainer.sidcar.enabled", "names no init container of this workload; did you mean container.sidecar?"],
    ["container.migrate.enabled", "names no container of this workload, but an init container: initContainer.migrate"],
    ["initContainer.api.enabled", "names no init container of this workload, but a container: container.api"],
    ["container.worker.policy", "names no container of this workload"],
    ["container.api.polcy", "is not a setting of a container; did you mean policy?"],
    ["container.api.suspend", "is not a setting of a container, but of the workload: lookout.dev/suspend"],
    ["container.api.min-age", "is not a setting of a container, but of the workload: lookout.dev/min-age"],
    ["container.api.nothing-like-it", "is not a setting of a container"],
  ])("%s %s", (key, why) => {
    expect(whyWrong(key)).toBe(why);
  });

  it("is valid with a known setting and container", () => {
    expect(["container.api.policy", "initContainer.migrate.enabled", "container.api.interval"].map(whyWrong)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it("an object that Lookout can't update says why in its settings", () => {
  const written = writtenInKey("lookout.dev/unusable-object", "spec.template: this Rollout has no pod template");

  expect(whyUnknown(written, containers)).toBe(
    "Lookout can't update this object: spec.template: this Rollout has no pod template",
  );
});
