import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CandidateTag, laterOf, nameOf } from "#domain/policy/candidate-tag";
import { afterDeletion, afterPush, type NextStanding } from "#domain/standing";
import {
  type CurrentImage,
  electFrom,
  type ElectionRule,
  electTag,
  type Standing,
  standingOf,
} from "#domain/tag-policy";
import { anyCurrent, anyRule, anyTag } from "./elections.ts";
import { filter, minute, tag } from "./matchers.ts";

const latest: ElectionRule = { policy: { kind: "latest" }, allowDowngrade: false };
const follow: ElectionRule = { policy: { kind: "digest" }, allowDowngrade: false };
const semver: ElectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };

/** The tags of a repository, as its registry would list them. */
type Repository = ReadonlyMap<string, CandidateTag>;

function pushedTo(repository: Repository, pushed: CandidateTag): Repository {
  const before = repository.get(nameOf(pushed));
  return new Map([...repository, [nameOf(pushed), before === undefined ? pushed : laterOf(before, pushed)]]);
}

describe("a standing after a push", () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ push: anyTag }) },
      { weight: 1, arbitrary: fc.record({ delete: anyTag.map(nameOf) }) },
      { weight: 1, arbitrary: fc.record({ run: fc.option(anyCurrent, { nil: "the elected tag" as const }) }) },
    ),
    { maxLength: 12 },
  );

  it("elects what all tags together elect, for every policy and order of pushes; a listing is needed in two cases only", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, fc.array(anyTag, { maxLength: 6 }), steps, (rule, first, listed, history) => {
        let current: CurrentImage | undefined = first;
        // One tag is never deleted: an empty listing means nothing to a policy that lists none.
        let repository = [...listed, "unrelated"].reduce(pushedTo, new Map());
        let standing = standingOf(rule, current, repository.values());
        for (const step of history) {
          const before = standing;
          let next: NextStanding;
          if ("push" in step) {
            repository = pushedTo(repository, step.push);
            next = afterPush(rule, current, standing, step.push);
          } else if ("delete" in step) {
            repository = new Map([...repository].filter(([name]) => name !== step.delete));
            next = afterDeletion(rule, current, standing, step.delete);
          } else {
            current = step.run === "the elected tag" ? running(rule, current, standing) : step.run;
            repository = pushedTo(repository, "unrelated");
            next = afterPush(rule, current, standing, "unrelated");
          }
          if (next.kind === "standing") standing = next.standing;
          else {
            expect(isNeeded(next.because, before, step)).toBe(true);
            standing = standingOf(rule, current, repository.values());
          }
          expect(electFrom(rule, current, standing)).toEqual(electTag(rule, current, repository.values()));
        }
      }),
    );
  });

  it("is the same for what runs now as for what ran, where the tags are looked at for the same", () => {
    // A tag may have the name of a word.
    const current = fc.oneof(
      anyCurrent,
      fc.constantFrom(undefined, ...["nothing", "any", "none"].map((name) => ({ tag: name }))),
    );
    const tags = fc.array(fc.oneof(anyTag, fc.constantFrom("nothing@1", "any@2", "none").map(tag)), { maxLength: 6 });
    fc.assert(
      fc.property(anyRule, current, current, tags, (rule, ran, runs, listed) => {
        const [before, now] = [ran, runs].map((image) => standingOf(rule, image, listed));

        if (before?.looksFor === now?.looksFor) expect(before).toEqual(now);
      }),
    );
  });

  it("holds when what was highest runs now", () => {
    const standing = standingOf(latest, { tag: "a" }, ["a@1", "b@2"].map(tag));

    const next = afterPush(latest, { tag: "b" }, standing, tag("c@3"));

    expect(next.kind === "standing" ? electFrom(latest, { tag: "b" }, next.standing) : next).toEqual({
      kind: "elected",
      tag: "c",
    });
  });

  it("holds when another version of the same flavour and length runs, and not when the flavour changes", () => {
    const standing = standingOf(semver, { tag: "1.2.0" }, ["1.2.0", "1.3.0-alpine", "1.4.0"]);

    expect(afterPush(semver, { tag: "1.1.9" }, standing, "1.2.1")).toEqual({ kind: "standing", standing });
    expect(afterPush(semver, { tag: "1.2.0-alpine" }, standing, "1.2.1")).toEqual({
      kind: "listing-needed",
      because: "another-image-runs",
    });
  });

  it("needs a listing when a tag runs that is called nothing, and nothing ran", () => {
    const needed = { kind: "listing-needed", because: "another-image-runs" };
    const listed = ["a@5", "nothing@5", "b@4"].map(tag);

    for (const rule of [follow, latest])
      expect(afterPush(rule, { tag: "nothing" }, standingOf(rule, undefined, listed), tag("y@1"))).toEqual(needed);
  });

  it("needs a listing when another tag is followed", () => {
    const standing = standingOf(follow, { tag: "main" }, ["main"]);

    expect(afterPush(follow, { tag: "dev" }, standing, "1.0.0")).toEqual({
      kind: "listing-needed",
      because: "another-image-runs",
    });
  });

  it("remembers when the running tag moved, also where that is excluded", () => {
    const rule: ElectionRule = { ...latest, filter: filter({ exclude: ["a"] }) };
    const electedAfter = (...pushes: readonly string[]) => {
      let standing = standingOf(rule, { tag: "a" }, ["a@5", "b@3"].map(tag));
      for (const push of pushes) {
        const next = afterPush(rule, { tag: "a" }, standing, tag(push));
        if (next.kind === "standing") standing = next.standing;
      }
      return electFrom(rule, { tag: "a" }, standing);
    };

    expect(electedAfter("c@4")).toEqual({ kind: "none", reason: "would-downgrade" });
    expect(electedAfter("c@6")).toEqual({ kind: "elected", tag: "c" });
    expect(electedAfter("a@7", "c@6")).toEqual({ kind: "none", reason: "would-downgrade" });
    expect(electedAfter("a@1", "c@4")).toEqual({ kind: "none", reason: "would-downgrade" });
  });

  it("keeps the later of two pushes of one tag, whichever comes first", () => {
    const [early, late] = [
      { name: "a", digest: "sha256:1", movedAt: minute(1) },
      { name: "a", digest: "sha256:2", movedAt: minute(2) },
    ];

    for (const sayings of [
      [early, late],
      [late, early],
    ])
      expect(standingOf(follow, { tag: "a" }, sayings).best).toEqual(late);
    expect(afterPush(latest, undefined, standingOf(latest, undefined, [late]), early)).toMatchObject({
      standing: { best: late },
    });
    expect(afterPush(latest, undefined, standingOf(latest, undefined, [early]), late)).toMatchObject({
      standing: { best: late },
    });
  });
});

describe("a standing after a deletion", () => {
  const standing = standingOf(latest, { tag: "a" }, ["a@1", "b@2", "c@0"].map(tag));

  it("is as it was where another than the highest is gone", () => {
    expect(afterDeletion(latest, { tag: "a" }, standing, "c")).toEqual({ kind: "standing", standing });
  });

  it("needs a listing where the highest is gone", () => {
    expect(afterDeletion(latest, { tag: "a" }, standing, "b")).toEqual({
      kind: "listing-needed",
      because: "best-tag-deleted",
    });
  });

  it("forgets when the running tag moved, where that is gone", () => {
    const next = afterDeletion(latest, { tag: "a" }, standing, "a");

    expect(next).toEqual({ kind: "standing", standing: { looksFor: standing.looksFor, best: standing.best } });
  });

  it("needs a listing where another image runs", () => {
    expect(afterDeletion(latest, { tag: "c" }, standing, "a")).toEqual({
      kind: "listing-needed",
      because: "another-image-runs",
    });
  });

  it("needs none where one tag alone is followed: it is gone", () => {
    const next = afterDeletion(follow, { tag: "a" }, standingOf(follow, { tag: "a" }, ["a"]), "a");

    expect(next.kind === "standing" ? electFrom(follow, { tag: "a" }, next.standing) : next).toEqual({
      kind: "none",
      reason: "no-tag-fits",
    });
  });
});

/** What runs once an update has landed. */
function running(rule: ElectionRule, current: CurrentImage | undefined, standing: Standing): CurrentImage | undefined {
  const election = electFrom(rule, current, standing);
  return election.kind === "elected" ? { tag: election.tag } : current;
}

function isNeeded(because: string, { best }: Standing, step: object): boolean {
  if (because === "best-tag-deleted") return "delete" in step && best !== undefined && step.delete === nameOf(best);
  return "run" in step && step.run !== "the elected tag";
}
