import { describe, expect, it } from "vitest";
import { pullPolicyOf, readPullPolicy } from "#domain/workload/pull-policy";
import { restartNotice } from "#domain/workload/restart-notice";
import { digest } from "../builders.ts";

describe("the pull policy of a container", () => {
  it.each(["Always", "IfNotPresent", "Never"] as const)("is %s if the container says so", (pullPolicy) => {
    expect(pullPolicyOf({ image: "registry.test/shop/app:latest", pullPolicy })).toBe(pullPolicy);
    expect(readPullPolicy(pullPolicy)).toBe(pullPolicy);
  });

  it.each([undefined, null, "", "always", "Sometimes", 1, ["Always"]])("is unknown if the field is %j", (field) => {
    expect(readPullPolicy(field)).toBeUndefined();
  });

  it.each([
    { image: "registry.test/shop/app", is: "Always", because: "no tag means latest" },
    { image: "registry.test/shop/app:latest", is: "Always", because: "the tag is latest" },
    { image: `registry.test/shop/app:latest@${digest("1")}`, is: "Always", because: "the tag is latest" },
    { image: "registry.test/shop/app:1.0.0", is: "IfNotPresent", because: "the tag is another one" },
    { image: `registry.test/shop/app@${digest("1")}`, is: "IfNotPresent", because: "a digest means no latest" },
    { image: "", is: "IfNotPresent", because: "the image can't be parsed" },
  ])("of $image is $is by default, because $because", ({ image, is }) => {
    expect(pullPolicyOf({ image })).toBe(is);
  });
});

describe("a container that is restarted to get a moved tag", () => {
  const image = "registry.test/shop/app:1.0.0";
  const own = { apply: "restart", strategy: "tag+digest" } as const;
  const container = { name: "app", image };

  it.each([
    { given: container, policy: "IfNotPresent" },
    { given: { ...container, pullPolicy: "IfNotPresent" }, policy: "IfNotPresent" },
    { given: { ...container, pullPolicy: "Never" }, policy: "Never" },
  ] as const)("has a notice with $given", ({ given, policy }) => {
    const notice = `container app is restarted to get a moved tag, but with imagePullPolicy ${policy}, nodes keep the old image: set imagePullPolicy: Always`;

    expect(restartNotice(given, own)).toBe(notice);
    expect(restartNotice(given, { ...own, strategy: "digest" })).toBe(notice);
  });

  it.each([
    { because: "the pods always pull", given: { ...container, pullPolicy: "Always" }, settings: own },
    { because: "pods of latest always pull", given: { ...container, image: "shop/app" }, settings: own },
    { because: "its digest is written", given: container, settings: { ...own, apply: "pin" } },
    { because: "its tag is written", given: container, settings: { ...own, apply: "tag" } },
    { because: "its digest does not matter", given: container, settings: { ...own, strategy: "tag" } },
    { because: "it is not tracked", given: container, settings: undefined },
  ] as const)("has no notice if $because", ({ given, settings }) => {
    expect(restartNotice(given, settings)).toBeUndefined();
  });
});
