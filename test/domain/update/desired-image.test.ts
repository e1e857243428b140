import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import type { BlockedDigest } from "#domain/update/state/workload";
import type { ContainerState } from "#domain/workload/observed";
import { platformsMatter, compareWithRunning } from "#domain/update/decide/desired-image";
import { aChange, aContainer, annotated, digest, image, noon, imageName } from "../builders.ts";

const desired = (
  given: Partial<ContainerState>,
  settings: Record<string, string>,
  tag: string,
  digit: string,
  { platforms = [], blocked = [] }: { platforms?: readonly string[]; blocked?: readonly BlockedDigest[] } = {},
) => {
  const { digest: _digest, baseline: _baseline, ...blank } = aContainer();
  const container: ContainerState = { ...blank, ...given };
  const own = parseSettings(annotated(settings), [container]).containers.app!;
  return compareWithRunning(container, own, tag, { digest: digest(digit), platforms }, blocked);
};
const satisfied = (baseline?: string) => ({
  kind: "satisfied",
  container: "app",
  baseline: baseline === undefined ? undefined : digest(baseline),
});
const known = { digest: digest("0"), baseline: digest("0") };

describe("the platforms of an index", () => {
  const elsewhere = { digest: digest("a"), baseline: digest("0") };

  it.each([
    {
      given: elsewhere,
      strategy: "tag+digest",
      tag: "1.0.0",
      matter: true,
      because: "the same tag names another digest",
    },
    { given: elsewhere, strategy: "digest", tag: "1.1.0", matter: true, because: "only digests count" },
    {
      given: elsewhere,
      strategy: "tag+digest",
      tag: "1.1.0",
      matter: false,
      because: "another tag is a change by itself",
    },
    { given: elsewhere, strategy: "tag", tag: "1.0.0", matter: false, because: "only tags count" },
    { given: {}, strategy: "digest", tag: "1.0.0", matter: false, because: "nobody knows what runs" },
    {
      given: { digest: digest("1") },
      strategy: "digest",
      tag: "1.0.0",
      matter: false,
      because: "the digest itself runs",
    },
    {
      given: { digest: digest("a"), baseline: digest("1") },
      strategy: "digest",
      tag: "1.0.0",
      matter: false,
      because: "the digest was there at first sight",
    },
  ])("matter: $matter, for $because", ({ given, strategy, tag, matter }) => {
    const { digest: _digest, baseline: _baseline, ...blank } = aContainer();
    const container: ContainerState = { ...blank, ...given };
    const own = parseSettings(annotated({ strategy }), [container]).containers.app!;

    expect(platformsMatter(container, own, tag, digest("1"))).toBe(matter);
  });
});

describe("a desired image", () => {
  it("is the whole change when another tag is selected", () => {
    expect(desired(known, { "semver-range": ">=1" }, "1.1.0", "1")).toEqual({
      kind: "change",
      change: aChange({ policy: "semver >=1" }),
    });
  });

  it.each([
    {
      given: {},
      tag: "1.0.0",
      digit: "1",
      is: satisfied("1"),
      because: "first sight never restarts: what the tag names now is remembered",
    },
    {
      given: { digest: digest("0") },
      tag: "1.0.0",
      digit: "1",
      is: satisfied("1"),
      because: "first sight never restarts, even when the pods run something else",
    },
    { given: known, tag: "1.0.0", digit: "0", is: satisfied("0"), because: "nothing moved" },
    {
      given: { baseline: digest("0") },
      tag: "1.0.0",
      digit: "0",
      is: satisfied("0"),
      because: "nothing moved since the first look, whatever the pods run",
    },
    {
      given: { digest: digest("1"), baseline: digest("0") },
      tag: "1.0.0",
      digit: "1",
      is: satisfied("0"),
      because: "the pods run it already",
    },
  ])("runs already when $because", ({ given, tag, digit, is }) => {
    expect(desired(given, {}, tag, digit)).toEqual(is);
  });

  it("runs already as the image of one platform of an index", () => {
    expect(
      desired({ digest: digest("a"), baseline: digest("0") }, {}, "1.0.0", "1", {
        platforms: [digest("b"), digest("a")],
      }),
    ).toEqual(satisfied("0"));
  });

  it("is a change when the same tag moved after Lookout read it", () => {
    expect(desired(known, {}, "1.0.0", "1")).toMatchObject({
      kind: "change",
      change: { tag: "1.0.0", digest: digest("1"), to: image("1.0.0", "1"), apply: "pin" },
    });
    expect(desired({ baseline: digest("0") }, {}, "1.0.0", "1")).toMatchObject({ kind: "change" });
  });

  it.each([
    {
      strategy: "tag",
      tag: "1.0.0",
      digit: "1",
      kind: "satisfied",
      because: "only the tag counts, and it is the same",
    },
    { strategy: "tag", tag: "1.1.0", digit: "0", kind: "change", because: "only the tag counts, and it differs" },
    {
      strategy: "digest",
      tag: "1.1.0",
      digit: "0",
      kind: "satisfied",
      because: "only the digest counts, and it is the same",
    },
    { strategy: "digest", tag: "1.1.0", digit: "1", kind: "change", because: "only the digest counts, and it differs" },
    { strategy: "digest", tag: "1.0.0", digit: "1", kind: "change", because: "only the digest counts, and it moved" },
    { strategy: "tag+digest", tag: "1.1.0", digit: "0", kind: "change", because: "either counts" },
  ])("with strategy $strategy is $kind when $because", ({ strategy, tag, digit, kind }) => {
    expect(desired(known, { strategy }, tag, digit).kind).toBe(kind);
  });

  it.each([
    { from: image("1.0.0"), apply: "pin", tag: "1.1.0", to: image("1.1.0", "1"), as: "pin" },
    { from: image("1.0.0"), apply: "tag", tag: "1.1.0", to: image("1.1.0"), as: "tag" },
    { from: image("1.0.0"), apply: "restart", tag: "1.1.0", to: image("1.1.0"), as: "tag" },
    { from: image("1.0.0"), apply: "tag", tag: "1.0.0", to: image("1.0.0"), as: "restart" },
    { from: image("1.0.0"), apply: "restart", tag: "1.0.0", to: image("1.0.0"), as: "restart" },
    { from: image("1.0.0", "0"), apply: "pin", tag: "1.0.0", to: image("1.0.0", "1"), as: "pin" },
    { from: image("1.0.0", "0"), apply: "tag", tag: "1.0.0", to: image("1.0.0"), as: "tag" },
  ])("from $from to $tag with apply $apply writes $to", ({ from, apply, tag, to, as }) => {
    expect(desired({ ...known, image: from }, { apply }, tag, "1")).toMatchObject({
      kind: "change",
      change: { from, to, apply: as },
    });
  });

  it("never restarts a pinned image, because its pods would run the same image", () => {
    const asked = desired({ ...known, image: image("1.0.0", "0") }, { apply: "restart" }, "1.0.0", "1");

    expect(asked).not.toMatchObject({ change: { to: image("1.0.0", "0") } });
  });

  it("keeps the author's spelling, and follows latest without a tag", () => {
    expect(desired({ ...known, image: "nginx" }, { policy: "digest" }, "latest", "1")).toMatchObject({
      change: { imageName: "docker.io/library/nginx", from: "nginx", to: `nginx:latest@${digest("1")}` },
    });
  });

  it.each([
    { apply: "restart", tag: "latest", to: "nginx", as: "restart" },
    { apply: "restart", tag: "1.27.0", to: "nginx:1.27.0", as: "tag" },
    { apply: "tag", tag: "latest", to: "nginx:latest", as: "tag" },
  ])("of an image without a tag for $tag with apply $apply writes $to", ({ apply, tag, to, as }) => {
    expect(desired({ ...known, image: "nginx" }, { apply }, tag, "1")).toMatchObject({
      kind: "change",
      change: { from: "nginx", to, apply: as },
    });
  });

  it("has no digest if none is known", () => {
    const asked = desired({}, {}, "1.1.0", "1");

    expect(asked.kind === "change" && "fromDigest" in asked.change).toBe(false);
  });
});

describe("a blocked digest", () => {
  const refusal: BlockedDigest = {
    imageName,
    digest: digest("1"),
    tag: "1.1.0",
    reason: "rollout-failed",
    seq: 4,
    at: noon,
  };

  it("is not desired again under any tag", () => {
    for (const tag of ["1.1.0", "1.1.1"])
      expect(desired(known, {}, tag, "1", { blocked: [refusal] })).toEqual({
        kind: "failure",
        selectionFailure: {
          container: "app",
          reason: "digest-blocked",
          detail: `${tag} @ ${digest("1")}: update 4, failed here (rollout failed)`,
          digest: digest("1"),
        },
      });
  });

  it("blocks no other digest and no other repository", () => {
    expect(desired(known, {}, "1.1.0", "2", { blocked: [refusal] }).kind).toBe("change");
    expect(
      desired(known, {}, "1.1.0", "1", { blocked: [{ ...refusal, imageName: "registry.test/shop/other" }] }).kind,
    ).toBe("change");
  });

  it("that runs already does not count", () => {
    expect(desired({ digest: digest("1"), baseline: digest("1") }, {}, "1.0.0", "1", { blocked: [refusal] })).toEqual(
      satisfied("1"),
    );
  });
});
