import { describe, expect, it } from "vitest";
import { newestAhead, standingOf } from "#domain/policy/versions-ahead";

interface Row {
  readonly running: string;
  readonly tags: readonly string[];
  readonly patch?: string;
  readonly minor?: string;
  readonly major?: string;
  readonly because: string;
}

const compared: readonly Row[] = [
  {
    running: "1.4.0",
    tags: ["1.4.0", "1.4.2", "1.6.1", "2.0.0"],
    patch: "1.4.2",
    minor: "1.6.1",
    major: "2.0.0",
    because: "each part has its newest",
  },
  { running: "1.4.0", tags: ["1.4.0", "1.4.2"], patch: "1.4.2", because: "a patch is shown once" },
  { running: "1.4.0", tags: ["1.4.0", "1.5.0"], minor: "1.5.0", because: "a minor is no patch" },
  { running: "1.4.0", tags: ["1.4.0", "2.1.0"], major: "2.1.0", because: "a major is no minor" },
  { running: "1.4.2", tags: ["1.4.0", "1.4.1", "1.4.2"], because: "older tags are not ahead" },
  { running: "1.4.0", tags: ["1.4.0", "2.0.0-rc.1", "1.5.0-beta"], because: "pre-releases are not wanted" },
  { running: "1.4.0-rc.1", tags: ["1.4.0-rc.1", "1.4.0"], patch: "1.4.0", because: "a release follows its rc" },
  {
    running: "1.27-alpine",
    tags: ["1.27-alpine", "1.29-alpine", "1.30", "2.0-alpine"],
    minor: "1.29-alpine",
    major: "2.0-alpine",
    because: "the flavour stays",
  },
  { running: "16", tags: ["15", "16", "17", "17.1", "latest"], major: "17", because: "a single number has no patch" },
  { running: "v1.2.3", tags: ["v1.2.3", "1.2.4"], patch: "1.2.4", because: "a prefix is no flavour" },
  {
    running: "2024.08.1",
    tags: ["2024.08.1", "2024.10.0", "2025.01.0"],
    minor: "2024.10.0",
    major: "2025.01.0",
    because: "padded numbers are numbers",
  },
  { running: "1.2.3.4", tags: ["1.2.3.4", "1.2.3.5"], patch: "1.2.3.5", because: "a fourth number is below the patch" },
  { running: "1.4.0", tags: ["9".repeat(30), "20250101", "1.4.0"], because: "dates are no versions" },
];

describe("the versions ahead of a running tag", () => {
  it.each(compared)("are told apart: $running, because $because", ({ running, tags, because: _, ...row }) => {
    const { tags: __, running: ___, ...ahead } = { tags, running, ...row };
    expect(standingOf(running, tags)).toMatchObject({ kind: "compared", ahead, isListed: true });
    const standing = standingOf(running, tags.toReversed());
    expect(standing.kind === "compared" && standing.ahead).toEqual(ahead);
  });

  it.each(["stable", "main", "lts", "alpine"])("are none for the word %s, which moves", (running) => {
    expect(standingOf(running, [running, "1.0.0", "2.0.0"])).toEqual({ kind: "moves", isListed: true });
  });

  it("are not known for tags without an order, and the advice says how they are followed", () => {
    expect(standingOf("sha-1f3a9c2", ["sha-1f3a9c2", "sha-abc1234"])).toEqual({
      kind: "not-comparable",
      reason: "current-tag-not-a-version",
      isListed: true,
      advice: { annotations: { policy: "regex", "tag-pattern": "^sha-[0-9a-f]{7,40}$" } },
    });
  });

  it("come with the newer tags that were skipped", () => {
    expect(standingOf("16.3-alpine3.19", ["16.3-alpine3.19", "16.4-alpine3.20"])).toMatchObject({
      kind: "compared",
      ahead: {},
      advice: { skipped: { count: 1, tags: ["16.4-alpine3.20"] } },
    });
  });

  it("are found although the registry no longer has the running tag", () => {
    expect(standingOf("1.4.0", ["1.5.0"])).toEqual({ kind: "compared", ahead: { minor: "1.5.0" }, isListed: false });
  });

  it("are found among 5,000 tags in less than a second", () => {
    const tags = Array.from({ length: 5_000 }, (_, index) => `1.${Math.floor(index / 100)}.${index % 100}`);
    const startedAt = performance.now();
    expect(standingOf("1.4.0", tags)).toMatchObject({ ahead: { patch: "1.4.99", minor: "1.49.99" } });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it("have a newest one: the major, else the minor, else the patch", () => {
    expect([
      newestAhead({ patch: "1.0.1", minor: "1.1.0", major: "2.0.0" }),
      newestAhead({ patch: "1.0.1", minor: "1.1.0" }),
      newestAhead({ patch: "1.0.1" }),
      newestAhead({}),
    ]).toEqual(["2.0.0", "1.1.0", "1.0.1", undefined]);
  });
});
