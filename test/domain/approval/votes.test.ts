import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Requirement } from "#domain/approval/approvers";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { describeTally } from "#domain/approval/state";
import { countVotes as countUnvoided, type Vote, voidedVotes } from "#domain/approval/votes";
import { epochMs } from "#domain/shared/time";
import { aChange, annotated, digest, noon } from "../builders.ts";

const bindable = { uid: "uid-1", annotations: annotated({}), update: { seq: 1, changes: [aChange()] } };
const binding = bindingOf(bindable);
const moved = bindingOf({ ...bindable, update: { seq: 1, changes: [aChange({ digest: digest("9") })] } });

const vote = (person: string, given: Partial<Vote> = {}): Vote => {
  const about = given.binding ?? binding;
  return {
    person,
    proof: { kind: "token" },
    decision: "approve",
    binding: about,
    bindingHash: bindingHash(about),
    at: noon,
    ...given,
  };
};

/** Counts the votes, none of which was found void before. */
const countVotes = (requirement: Requirement, votes: readonly Vote[], about: typeof binding) =>
  countUnvoided(requirement, votes, voidedVotes(votes, about));

const twoOf: Requirement = {
  quorums: [{ needed: 2, people: ["ana", "ben", "eva"], notTheAuthor: false }],
  deciders: ["ana", "ben", "eva"],
  byAnnotation: "nobody",
};

const oneOf: Requirement = {
  ...twoOf,
  quorums: [{ needed: 1, people: ["ana", "ben", "eva", "mallory"], notTheAuthor: false }],
};

describe("votes", () => {
  it("reach a quorum when enough of its people approve", () => {
    expect(countVotes(twoOf, [vote("ana"), vote("ben")], binding)).toEqual({
      approvedBy: ["ana", "ben"],
      voidOf: [],
      missing: [],
    });
  });

  it("have the number of missing approvals, and the people who may still approve", () => {
    expect(countVotes(twoOf, [vote("ana")], binding)).toEqual({
      approvedBy: ["ana"],
      voidOf: [],
      missing: [{ more: 1, people: ["ben", "eva"] }],
    });
  });

  it("of one person count once: the newest vote counts", () => {
    const again = vote("ana", { at: epochMs(noon + 1) });
    const rejected = vote("ana", { at: epochMs(noon + 2), decision: "reject", why: "no" });

    expect(countVotes(twoOf, [vote("ana"), again], binding).approvedBy).toEqual(["ana"]);
    expect(countVotes(twoOf, [rejected, vote("ana"), again], binding)).toEqual({
      approvedBy: [],
      rejection: rejected,
      voidOf: [],
      missing: [{ more: 2, people: ["ana", "ben", "eva"] }],
    });
  });

  it("on another digest are void, and votes with a changed hash are void", () => {
    const forged = vote("ben", { binding: moved, bindingHash: bindingHash(binding) });

    expect(countVotes(twoOf, [vote("ana", { binding: moved }), forged], binding)).toEqual({
      approvedBy: [],
      voidOf: ["ana", "ben"],
      missing: [{ more: 2, people: ["ana", "ben", "eva"] }],
    });
  });

  it("are described in words, for each quorum", () => {
    const each: Requirement = {
      ...twoOf,
      quorums: [
        { needed: 1, people: ["ana"], notTheAuthor: false },
        { needed: 1, people: ["ben"], notTheAuthor: false },
      ],
    };

    expect(describeTally(countVotes(each, [], binding))).toBe("no approval yet; needs 1 more of ana and 1 more of ben");
    expect(describeTally(countVotes(each, [vote("ana")], binding))).toBe("approved by ana; needs 1 more of ben");
  });

  it("that were void before stay void until their voter votes again", () => {
    const back = voidedVotes([vote("ana")], binding, voidedVotes([vote("ana")], moved));
    const again = vote("ana", { at: epochMs(noon + 1) });

    expect(back).toEqual([{ voter: "ana", at: noon }]);
    expect(countUnvoided(twoOf, [vote("ana"), vote("ben")], back)).toMatchObject({
      approvedBy: ["ben"],
      voidOf: ["ana"],
    });
    expect(voidedVotes([again], binding, back)).toEqual([]);
  });

  it("of people without the right do not count", () => {
    expect(countVotes(twoOf, [vote("ana"), vote("mallory")], binding).approvedBy).toEqual(["ana"]);
  });

  it("on the object count only if the rules allow them", () => {
    const written = vote("ana", { proof: { kind: "annotation", by: "ana", image: "1.1.0" } });
    const count = (byAnnotation: Requirement["byAnnotation"], one = written) =>
      countVotes({ ...oneOf, byAnnotation }, [one], binding).approvedBy;

    expect(count("nobody")).toEqual([]);
    expect(count("deciders")).toEqual(["ana"]);
    expect(count("deciders", { ...written, person: "mallory" })).toEqual([]);
    expect(count("anyone", { ...written, person: "mallory" })).toEqual(["mallory"]);
    expect(count("deciders-with-digest")).toEqual([]);
    const pinned = { ...written, proof: { ...written.proof, image: `1.1.0@${digest("1")}` } } as const;
    expect(count("deciders-with-digest", pinned)).toEqual(["ana"]);
  });

  it.each(["anyone", "deciders"] as const)("on the object are one vote together: %s", (byAnnotation) => {
    const written = ["ana", "ben"].map((by, index) =>
      vote(by, { proof: { kind: "annotation", by, image: "1.1.0" }, at: epochMs(noon + index) }),
    );

    expect(countVotes({ ...oneOf, byAnnotation }, written, binding)).toEqual({
      approvedBy: ["ben"],
      voidOf: [],
      missing: [],
    });
  });

  it("on the object and by a proof of the same person are one vote", () => {
    const written = vote("ana", { proof: { kind: "annotation", by: "ana", image: "1.1.0" } });

    expect(countVotes({ ...twoOf, byAnnotation: "deciders" }, [vote("ana"), written], binding)).toEqual({
      approvedBy: ["ana"],
      voidOf: [],
      missing: [{ more: 1, people: ["ben", "eva"] }],
    });
  });

  it("of one more person are needed with notTheAuthor, because the author is not proved", () => {
    const fourEyes: Requirement = {
      ...twoOf,
      quorums: [{ needed: 1, people: ["ana", "ben"], notTheAuthor: true }],
    };
    const missing = (...votes: readonly Vote[]) => countVotes(fourEyes, votes, binding).missing;

    expect(missing(vote("ben"))).toEqual([{ more: 1, people: ["ana"] }]);
    expect(missing(vote("ana"), vote("ben"))).toEqual([]);
  });

  it("never open an update that one person, a void vote or a rejection would open", () => {
    const person = fc.constantFrom("ana", "ben", "eva", "mallory");
    const anyVote = fc
      .record({ person, moved: fc.boolean(), rejects: fc.boolean(), at: fc.integer({ min: 0, max: 9 }) })
      .map(({ person: name, moved: isVoid, rejects, at }) =>
        vote(name, {
          ...(isVoid ? { binding: moved } : {}),
          decision: rejects ? "reject" : "approve",
          at: epochMs(noon + at),
        }),
      );
    fc.assert(
      fc.property(fc.array(anyVote, { maxLength: 8 }), (votes) => {
        const tally = countVotes(twoOf, votes, binding);
        const bound = votes.filter((one) => one.bindingHash === bindingHash(binding));
        const approving = new Set(
          bound.filter(({ decision }) => decision === "approve").map(({ person: name }) => name),
        );
        approving.delete("mallory");

        expect(tally.approvedBy.length).toBe(new Set(tally.approvedBy).size);
        expect(tally.approvedBy.every((name) => approving.has(name))).toBe(true);
        if (approving.size < 2) expect(tally.missing).not.toEqual([]);
      }),
    );
  });
});
