import { describe, expect, it } from "vitest";
import { driftsOtherwise, isDrift, severalDigests } from "#domain/workload/digest-drift";
import { aContainer, aLiveContainer, digest, image } from "../builders.ts";

const [index, amd, arm, old, older] = ["0", "1", "2", "8", "9"].map((digit) => digest(digit)) as [
  string,
  string,
  string,
  string,
  string,
];
const single = { digest: index, platforms: [] };
const multi = { digest: index, platforms: [amd, arm] };

describe("pods that report several digests of a tag", () => {
  it.each([
    { reported: [index, old], tag: single, is: true, because: "some run the present image, and some do not" },
    { reported: [old, older], tag: single, is: true, because: "two images without platforms are different" },
    { reported: [amd, arm], tag: multi, is: false, because: "both are platforms of one image" },
    { reported: [index, amd], tag: multi, is: false, because: "one is the index, and one its platform" },
    { reported: [amd, old], tag: multi, is: true, because: "some run a platform of the present image" },
    { reported: [old, older], tag: multi, is: false, because: "both may be platforms of an earlier index" },
    { reported: [old], tag: single, is: false, because: "all run the same image" },
    { reported: [], tag: single, is: false, because: "none reports a digest" },
  ])("drift: $is, because $because", ({ reported, tag, is }) => {
    expect(isDrift(reported, tag)).toBe(is);
  });
});

describe("the digests that a record keeps", () => {
  it("are those of an image without a digest, at most five", () => {
    const many = ["1", "2", "3", "4", "5", "6"].map((digit) => digest(digit));

    expect(severalDigests(aLiveContainer(), { app: [index, old] })).toEqual([index, old]);
    expect(severalDigests(aLiveContainer(), { app: many })).toEqual(many.slice(0, 5));
    expect(severalDigests(aLiveContainer(), { app: [index] })).toBeUndefined();
    expect(severalDigests(aLiveContainer(), { side: [index, old] })).toBeUndefined();
    expect(severalDigests(aLiveContainer({ image: image("1.0.0", "0") }), { app: [index, old] })).toBeUndefined();
  });

  it("differ from the pods when a drift begins, changes and ends", () => {
    const drifting = [aContainer({ digests: [index, old] })];
    const live = [aLiveContainer()];

    expect(driftsOtherwise(live, { app: [index, old] }, [aContainer()])).toBe(true);
    expect(driftsOtherwise(live, { app: [index, older] }, drifting)).toBe(true);
    expect(driftsOtherwise(live, { app: [index] }, drifting)).toBe(true);
    expect(driftsOtherwise(live, { app: [index, old] }, drifting)).toBe(false);
    expect(driftsOtherwise(live, { app: [index] }, [aContainer()])).toBe(false);
  });
});
