import { describe, expect, it } from "vitest";
import { explainSelection, selectTag } from "#domain/policy/policy";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const parse = (settings: Record<string, string>, containers: Parameters<typeof parseSettings>[1]) =>
  parseSettings(annotated(settings), containers);

describe("settings without a policy", () => {
  it("follow latest if an image has no tag, with a notice", () => {
    const settings = parse({}, [{ ...app, image: "nginx" }]);

    expect(settings.containers.app?.policy).toEqual({ kind: "digest" });
    expect(settings.problems).toEqual([
      {
        key: "image of container app",
        value: "nginx",
        message: "the image has no tag, so Lookout follows latest. Name a tag or a policy",
        closes: false,
      },
    ]);
    expect(parse({ policy: "digest" }, [{ ...app, image: "nginx" }]).problems).toEqual([]);
  });

  it("follow latest after Lookout has written the tag latest", () => {
    const settings = parse({}, [{ ...app, image: `nginx:latest@sha256:${"0".repeat(64)}` }]);

    expect(settings.containers.app?.policy).toEqual({ kind: "digest" });
    expect(settings.problems).toMatchObject([
      { message: "the image's tag is no version, so Lookout follows latest. Name a tag or a policy", closes: false },
    ]);
  });

  it.each(["nginx", "nginx:latest"])("select versions for %s if a range is set", (image) => {
    const settings = parse({ "semver-range": ">=1" }, [{ ...app, image }]);

    expect(settings.containers.app?.policyText).toBe("semver >=1");
    expect(settings.problems).toEqual([]);
  });

  it("need a policy for an image with only a digest", () => {
    const pinned = { ...app, image: `nginx@sha256:${"0".repeat(64)}` };

    expect(parse({}, [pinned]).problems).toEqual([
      {
        key: "image of container app",
        value: pinned.image,
        message: "the image has only a digest: expected a tag, or lookout.dev/policy",
        closes: true,
      },
    ]);
    expect(parse({ policy: "semver", "semver-range": ">=1" }, [pinned]).problems).toEqual([]);
  });
});

it("the policy service-image is shown by its name while no ServiceImage names the image", () => {
  const settings = parse({ policy: "service-image" }, [app]);

  expect(settings.containers.app?.policyText).toBe("service-image");
  expect(settings.problems).toEqual([
    {
      ...{ key: "lookout.dev/policy", value: "service-image", closes: true },
      message:
        "no ServiceImage of the namespace names the image: apply one, which is read within a minute, or set definitions: true in lookout.yaml if it is missing there",
    },
  ]);
});

describe("the default of lookout.yaml", () => {
  const images = { ...app, image: "nginx:1.27.3" };
  const ruleUnder = (semver: "any" | "major" | "minor", settings: Record<string, string> = {}) =>
    parseSettings(annotated(settings), [images], undefined, { semver }).containers.app;
  const selected = (semver: "any" | "major" | "minor", settings?: Record<string, string>) => {
    const rule = ruleUnder(semver, settings);
    const tags = ["1.27.9", "1.29.0", "3.0.0"];
    return rule && selectTag(rule, { tag: "1.27.3" }, tags);
  };

  it.each([
    { semver: "any", tag: "3.0.0", text: "semver" },
    { semver: "major", tag: "1.29.0", text: "semver, same major" },
    { semver: "minor", tag: "1.27.9", text: "semver, same minor" },
  ] as const)("$semver selects $tag for a workload that is only enabled", ({ semver, tag, text }) => {
    expect(selected(semver)).toEqual({ kind: "selected", tag });
    expect(ruleUnder(semver)?.policyText).toBe(text);
  });

  it.each([{ policy: "semver" }, { "semver-range": ">=1" }, { "container.app.policy": "semver" }])(
    "does not count for a workload with %j",
    (settings) => {
      expect(selected("minor", settings as Record<string, string>)).toEqual({ kind: "selected", tag: "3.0.0" });
    },
  );

  it("counts beside other limits", () => {
    expect(selected("major", { "exclude-tags": "1.29.*" })).toEqual({ kind: "selected", tag: "1.27.9" });
  });

  it("rejects the other versions as outside the range", () => {
    const rule = ruleUnder("major");

    expect(rule && explainSelection(rule, { tag: "1.27.3" }, ["2.0.0"]).rejected).toEqual([
      { tag: "2.0.0", reason: "outside-range" },
    ]);
  });
});
