import { describe, expect, it } from "vitest";
import { runningOf } from "#domain/policy/equal-tags";
import type { CandidateTag } from "#domain/policy/candidate-tag";
import type { CurrentImage } from "#domain/policy/tag-selector";
import { epochMs } from "#domain/shared/time";

const early = epochMs(1_000);
const late = epochMs(2_000);
const moved: CandidateTag = { name: "b7", digest: "sha256:b", movedAt: early };
const firstSeen: CandidateTag = { name: "b7", movedAt: late };

describe("the move of a running tag", () => {
  it.each<{ because: string; current: CurrentImage | undefined; running?: CandidateTag; is: CandidateTag }>([
    {
      because: "is the known move to the running digest, also when the image was first seen later",
      current: { tag: "b7", digest: "sha256:b", movedAt: late },
      running: moved,
      is: moved,
    },
    {
      because: "is the first sight, when another digest of the tag runs",
      current: { tag: "b7", digest: "sha256:other", movedAt: late },
      running: moved,
      is: firstSeen,
    },
    {
      because: "is the first sight, when the running digest is unknown",
      current: { tag: "b7", movedAt: late },
      running: { name: "b7", movedAt: early },
      is: firstSeen,
    },
    {
      because: "is the first sight, when the digest is listed without a move",
      current: { tag: "b7", digest: "sha256:b", movedAt: late },
      running: { name: "b7", digest: "sha256:b" },
      is: firstSeen,
    },
    {
      because: "is the known move, when another digest was seen before",
      current: { tag: "b7", digest: "sha256:other", movedAt: early },
      running: { name: "b7", digest: "sha256:b", movedAt: late },
      is: { name: "b7", digest: "sha256:b", movedAt: late },
    },
    {
      because: "is the first sight of a tag that is not listed",
      current: { tag: "b7", digest: "sha256:b", movedAt: late },
      is: firstSeen,
    },
    { because: "is unknown without a first sight", current: { tag: "b7" }, is: "b7" },
    { because: "is unknown without an image", current: undefined, is: "" },
  ])("$because", ({ current, running, is }) => {
    expect(runningOf(current, { ...(running === undefined ? {} : { running }) })).toEqual(is);
  });
});
