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
  it("has none that is new when it is the first", () => {
    expect(newTags(undefined, [], ["a", "b"])).toEqual([]);
  });

  it("tells of those that were neither listed before nor seen moving", () => {
    expect(newTags(withKnown([], ["a"]), [moved("b", 1)], ["d", "a", "b", "c"])).toEqual(["d", "c"]);
  });

  it("tells of none when the one before was short", () => {
    const known = withKnown([], ["a"]);

    expect(newTags(known, [], numbered(mostFoundTags))).toHaveLength(mostFoundTags);
    expect(newTags(known, [], numbered(mostFoundTags + 1))).toEqual([]);
  });

  it("tells of none where there are more than are known", () => {
    const many = numbered(mostKnownTags + 1);

    expect(newTags(withKnown([], many), [], many)).toEqual([]);
  });

  it("tells of a new one where there are just as many as are known", () => {
    const many = numbered(mostKnownTags);

    expect(newTags(withKnown([], many.slice(1)), [], many)).toEqual(["build-0"]);
  });

  it("that is short lets nothing be new in the next", () => {
    const known = withKnown(withKnown([], ["a", "b", "c"]), ["a"]);

    expect(newTags(known, [], ["a", "b", "c"])).toEqual([]);
  });
});

describe("known tags", () => {
  it("stay as they are when the same are listed, in whatever order", () => {
    const tags = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }));
    fc.assert(
      fc.property(tags, tags, (some, others) => {
        const known = withKnown(withKnown([], some), others);
        expect(withKnown(known, [...others, ...some].toReversed())).toEqual(known);
        expect(newTags(known, [], [...some, ...others])).toEqual([]);
      }),
    );
  });

  it("make room, those first that are not listed any more", () => {
    const known = withKnown([], ["gone", ...numbered(mostKnownTags - 1)]);
    const next = withKnown(known, [...numbered(mostKnownTags - 1), "new"]);

    expect(next).toHaveLength(mostKnownTags);
    expect(newTags(next, [], ["build-0", "new", "gone"])).toEqual(["gone"]);
  });

  it("make room for one by the one that was known longest", () => {
    const known = withKnown([], numbered(mostKnownTags));

    expect(withKnown(known, ["build-7"])).toEqual(known);
    expect(withKnown(known, ["new"])).toEqual([...known.slice(1), ...withKnown([], ["new"])]);
  });

  it("are stored by marks that are the same in every Lookout", () => {
    expect(withKnown([], ["a", "foobar"])).toEqual([0xe40c292c, 0xbf9cf968]);
  });
});

describe("a tag that moved", () => {
  it("is a candidate by its name, with what it names and when it moved", () => {
    const { digest, movedAt } = moved("main", 7);

    expect(asCandidate({ ...moved("main", 7), isFound: true })).toEqual({ name: "main", digest, movedAt });
  });
});

describe("moves that may be forgotten", () => {
  it("are all but the last", () => {
    const moves = numbered(mostMoves + 2).map((tag, index) => moved(tag, (index * 7) % (mostMoves + 2)));

    expect(forgettable(moves.slice(0, mostMoves))).toEqual([]);
    expect(forgettable(moves).map(({ movedAt }) => movedAt)).toEqual([minute(1), minute(0)]);
  });
});
