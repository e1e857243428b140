import { describe, expect, it } from "vitest";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import type { Declared } from "#domain/definitions/definition";
import { parseSettings } from "#domain/settings/settings";
import { epochMs } from "#domain/shared/time";

const repository = "registry.example.com/shop/web";
const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "web" } as const;
const containers = [{ list: "containers", name: "app", image: `${repository}:1.0.0` }] as const;

const policy: Declared = {
  ...{ kind: "ImagePolicy", cluster: "prod", namespace: "shop", name: "web", uid: "u", generation: 1 },
  ...{ createdAt: epochMs(0), imageName: repository },
  target: { kind: "Deployment", name: "web" },
  settings: { policy: "semver" },
};

function annotationsWith(annotations: Readonly<Record<string, string>>, ...definitions: readonly Declared[]) {
  return declaredAbout({ workload, annotations, containers }, definitions).annotations;
}

describe("the annotations that an ImagePolicy declares", () => {
  it("track a target whose person selects its tags, and close it", () => {
    expect(annotationsWith({ "lookout.dev/policy": "pinned" }, policy)).toEqual({
      "lookout.dev/enabled": "true",
      "lookout.dev/declared fault":
        "ImagePolicy web: spec.updateTarget\nDeployment web has lookout.dev/policy itself: remove the annotation, or this policy",
      "lookout.dev/container.app.enabled": "false",
    });
  });

  it.each([
    { "lookout.dev/enabled": "false" },
    { "lookout.dev/enabled": "true" },
    { "image-updater.eznix86.github.io/enabled": "true" },
  ])("are none for a workload that a person enables or disables by %o", (annotations) => {
    expect(annotationsWith(annotations, policy)).toEqual({});
  });

  it("are none for a target that has no container of the repository", () => {
    const other = { ...policy, imageName: "registry.example.com/other" };
    expect(annotationsWith({ "lookout.dev/policy": "pinned" }, other)).toEqual({});
  });

  it("say calmly that updates of a deleted policy end", () => {
    expect(annotationsWith({}, { ...policy, ends: true })["lookout.dev/declared fault"]).toBe(
      "ImagePolicy web: metadata\nwas deleted or changed: Lookout ends its updates first",
    );
  });
});

it("a range beside the policy service-image is told as unused, and closes nothing", () => {
  const annotations = {
    "lookout.dev/enabled": "true",
    "lookout.dev/policy": "service-image",
    "lookout.dev/semver-range": "~1.2",
    "lookout.dev/container.app.policy": "alphabetical",
    "lookout.dev/container.app.include-tags": "v2",
  };
  expect(parseSettings(annotations, containers).problems).toEqual([
    {
      key: "lookout.dev/semver-range",
      value: "~1.2",
      message: "is not used: the ServiceImage names the tag",
      closes: false,
    },
  ]);
});
