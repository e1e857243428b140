import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { desiredKept } from "#domain/update/decide/kept-image";
import { aContainer, annotated, digest, imageName } from "../builders.ts";

const plain = `${imageName}:1.0.0`;
const withDigest = (digit: string): string => `${plain}@${digest(digit)}`;

/** Returns what is written for a kept 1.0.0 of digest 1, and how. Or that nothing is. */
function written(apply: string, { image = plain, runs = "1", pinned = false, isBlocked = false }) {
  const container = aContainer({ image, digest: digest(runs), baseline: digest(runs) });
  const own = parseSettings(annotated({ apply }), [container]).containers["app"];
  if (own === undefined) throw new Error("the container is not tracked");
  const kept = { tag: "1.0.0", digest: digest("1"), platforms: [], ...(pinned ? { pinned: true as const } : {}) };
  const blocked = { imageName, digest: digest("1"), tag: "1.0.0", reason: "rollout-failed", seq: 1, at: 0 } as never;
  const desired = desiredKept(container, own, kept, isBlocked ? [blocked] : []);
  return desired.kind === "change" ? [desired.change.apply, desired.change.to] : desired.kind;
}

const other = `${imageName}:1.1.0`;
const pin = ["pin", withDigest("1")];

describe("a kept image", () => {
  it.each([
    { apply: "tag", given: { image: other, runs: "2" }, is: ["tag", plain] },
    { apply: "tag", given: { image: other, runs: "2", pinned: true }, is: pin },
    { apply: "restart", given: { image: other, runs: "2" }, is: ["tag", plain] },
    { apply: "restart", given: { image: other, runs: "2", pinned: true }, is: pin },
    { apply: "restart", given: { runs: "2" }, is: pin },
    { apply: "pin", given: { image: other, runs: "2" }, is: pin },
    { apply: "pin", given: {}, is: "satisfied" },
    { apply: "pin", given: { pinned: true }, is: pin },
    { apply: "pin", given: { image: withDigest("1"), pinned: true }, is: "satisfied" },
    { apply: "tag", given: { runs: "2", isBlocked: true, pinned: true }, is: "failure" },
  ])("is written as $is, with apply: $apply and $given", ({ apply, given, is }) => {
    expect(written(apply, given)).toEqual(is);
  });
});
