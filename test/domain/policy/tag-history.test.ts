import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asCandidate,
  forgettable,
  mostFoundTags,
  mostKnownTags,
  mostMoves,
  newTags,
  withKnown,
} from "#domain/policy/tag-history";
import { minute } from "./matchers.ts";

const moved = (tag: string, at: number) => ({ tag, digest: `sha256:${"a".repeat(64)}`, movedAt: minute(at) });
const numbered = (count: number, word = "build") => Array.from({ length: count }, (_, index) => `${word}-${index}`);

describe("a listing of tags", () => {
  it("has no new tag when it is the first", () => {
    expect(newTags(undefined, [], ["a", "b"])).toEqual([]);
  });

  it("has the new tags that were neither listed nor seen moving", () => {
    expect(newTags(withKnown([], ["a"]), [moved("b", 1)], ["d", "a", "b", "c"])).toEqual(["d", "c"]);
  });

  it("has no new tag after an incomplete listing", () => {
    const known = withKnown([], ["a"]);

    expect(newTags(known, [], numbered(mostFoundTags))).toHaveLength(mostFoundTags);
    expect(newTags(known, [], numbered(mostFoundTags + 1))).toEqual([]);
  });

  it("has no new tag if it has more tags than Lookout keeps", () => {
    const many = numbered(mostKnownTags + 1);

    expect(newTags(withKnown([], many), [], many)).toEqual([]);
  });

  it("has a new tag if it has exactly as many tags as Lookout keeps", () => {
    const many = numbered(mostKnownTags);

    expect(newTags(withKnown([], many.slice(1)), [], many)).toEqual(["build-0"]);
  });

  it("that is incomplete leaves the next listing without new tags", () => {
    const known = withKnown(withKnown([], ["a", "b", "c"]), ["a"]);

    expect(newTags(known, [], ["a", "b", "c"])).toEqual([]);
  });
});

describe("known tags", () => {
  it("do not change with the order of a listing", () => {
    const tags = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }));
    fc.assert(
      fc.property(tags, tags, (some, others) => {
        const known = withKnown(withKnown([], some), others);
        expect(withKnown(known, [...others, ...some].toReversed())).toEqual(known);
        expect(newTags(known, [], [...some, ...others])).toEqual([]);
      }),
    );
  });

  it("drop unlisted tags first", () => {
    const known = withKnown([], ["gone", ...numbered(mostKnownTags - 1)]);
    const next = withKnown(known, [...numbered(mostKnownTags - 1), "new"]);

    expect(next).toHaveLength(mostKnownTags);
    expect(newTags(next, [], ["build-0", "new", "gone"])).toEqual(["gone"]);
  });

  it("drop the oldest tag for a new one", () => {
    const known = withKnown([], numbered(mostKnownTags));

    expect(withKnown(known, ["build-7"])).toEqual(known);
    expect(withKnown(known, ["new"])).toEqual([...known.slice(1), ...withKnown([], ["new"])]);
  });

  it("have the same marks in every version of Lookout", () => {
    expect(withKnown([], ["a", "foobar"])).toEqual([0xe40c292c, 0xbf9cf968]);
  });
});

describe("a tag that moved", () => {
  it("is a candidate with its name, digest and move", () => {
    const { digest, movedAt } = moved("main", 7);

    expect(asCandidate({ ...moved("main", 7), isFound: true })).toEqual({ name: "main", digest, movedAt });
  });
});

describe("moves that may be dropped", () => {
  it("are all but the last", () => {
    const moves = numbered(mostMoves + 2).map((tag, index) => moved(tag, (index * 7) % (mostMoves + 2)));

    expect(forgettable(moves.slice(0, mostMoves))).toEqual([]);
    expect(forgettable(moves).map(({ movedAt }) => movedAt)).toEqual([minute(1), minute(0)]);
  });
});
