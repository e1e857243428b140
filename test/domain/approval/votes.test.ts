import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Requirement } from "#domain/approval/approvers";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { approvalOnObject, countVotes, type Vote } from "#domain/approval/votes";
import { epochMs } from "#domain/shared/time";
import { aChange, annotated, digest, noon, repository } from "../builders.ts";

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

const twoOf: Requirement = {
  quorums: [{ needed: 2, people: ["ana", "ben", "eva"], notTheAuthor: false }],
  deciders: ["ana", "ben", "eva"],
  byAnnotation: "nobody",
};

describe("votes", () => {
  it("reach a quorum when enough of its people approve", () => {
    expect(countVotes(twoOf, [vote("ana"), vote("ben")], binding)).toEqual({
      approvedBy: ["ana", "ben"],
      voidOf: [],
      missing: [],
    });
  });

  it("say how many are missing, and who may still approve", () => {
    expect(countVotes(twoOf, [vote("ana")], binding)).toEqual({
      approvedBy: ["ana"],
      voidOf: [],
      missing: [{ more: 1, people: ["ben", "eva"] }],
    });
  });

  it("of one person count once, and the newest one counts", () => {
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

  it("on another digest are void, and so are those whose stored hash was changed", () => {
    const forged = vote("ben", { binding: moved, bindingHash: bindingHash(binding) });

    expect(countVotes(twoOf, [vote("ana", { binding: moved }), forged], binding)).toEqual({
      approvedBy: [],
      voidOf: ["ana", "ben"],
      missing: [{ more: 2, people: ["ana", "ben", "eva"] }],
    });
  });

  it("of people without the right do not count", () => {
    expect(countVotes(twoOf, [vote("ana"), vote("mallory")], binding).approvedBy).toEqual(["ana"]);
  });

  it("on the object count only if the rules allow them", () => {
    const written = vote("ana", { proof: { kind: "annotation", by: "ana", image: "1.1.0" } });
    const count = (byAnnotation: Requirement["byAnnotation"], one = written) =>
      countVotes({ ...twoOf, byAnnotation }, [one], binding).approvedBy;

    expect(count("nobody")).toEqual([]);
    expect(count("deciders")).toEqual(["ana"]);
    expect(count("deciders", { ...written, person: "mallory" })).toEqual([]);
    expect(count("anyone", { ...written, person: "mallory" })).toEqual(["mallory"]);
  });

  it("on the object are one vote together if nobody proves who wrote them", () => {
    const ghosts = ["ghost-one", "ghost-two"].map((by, index) =>
      vote(by, { proof: { kind: "annotation", by, image: "1.1.0" }, at: epochMs(noon + index) }),
    );
    const unnamed: Requirement = {
      quorums: [{ needed: 2, notTheAuthor: false }],
      deciders: [],
      byAnnotation: "anyone",
    };

    expect(countVotes(unnamed, ghosts, binding)).toEqual({
      approvedBy: ["ghost-two"],
      voidOf: [],
      missing: [{ more: 1, people: [] }],
    });
  });

  it("of one more person are needed with notTheAuthor, because nobody proves the author", () => {
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

describe("an approval annotation", () => {
  const names = (approvedImage: string, changes = [aChange()]) =>
    approvalOnObject({ required: 1, approvedBy: "ana", approvedImage }, changes) !== undefined;

  it.each([
    "1.1.0",
    `1.1.0@${digest("1")}`,
    `${repository}:1.1.0`,
    `${repository}@${digest("1")}`,
    `${repository}:1.1.0@${digest("1")}`,
  ])("may name the image as %s", (written) => {
    expect(names(written)).toBe(true);
  });

  it.each([
    "1.0.0",
    `1.1.0@${digest("2")}`,
    "registry.test/shop/other:1.1.0",
    repository,
    `${repository}:1.0.0@${digest("1")}`,
    `${repository}:1.1.0@${digest("2")}`,
  ])("does not approve another image: %s", (written) => {
    expect(names(written)).toBe(false);
  });

  it("must name every image of the update", () => {
    const side = aChange({ name: "side", repository: "registry.test/shop/side" });

    expect(names("1.1.0", [aChange(), side])).toBe(true);
    expect(names("1.1.0", [aChange(), { ...side, tag: "2.0.0" }])).toBe(false);
  });
});
