import { describe, expect, it } from "vitest";
import { pullPolicyOf, readPullPolicy } from "#domain/workload/pull-policy";
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
