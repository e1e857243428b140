import { describe, expect, it } from "vitest";
import { judgeAnnotation } from "#domain/approval/annotation";
import { type ApprovalRules, type ApproverEntry, requirementFor } from "#domain/approval/approvers";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { tokenHash, voterOf } from "#domain/approval/people";
import { countVotes, type Vote, voterOfVote } from "#domain/approval/votes";
import { epochMs } from "#domain/shared/time";
import { aChange, annotated, digest, noon } from "../builders.ts";

const place = { cluster: "prod", namespace: "shop" };
const personCalled = (name: string) => ({
  name,
  email: `${name}@example.com`,
  iam: [`arn:aws:iam::111122223333:user/${name}`],
  tokenHash: tokenHash(`token of ${name}`),
});
const people = [personCalled("ana"), personCalled("ben")];
const entry: ApproverEntry = {
  ...{ namespaces: ["shop"], people: ["ana", "ben"], needed: 1 },
  ...{ notTheAuthor: false, required: true, byAnnotation: true },
};
const change = aChange();
const binding = bindingOf({ uid: "uid-1", annotations: annotated({}), update: { seq: 1, changes: [change] } });

type Means = "token" | "IAM" | "annotation";
type Named = "ana" | "ben" | "ANA" | "ana@example.com";

/** What a user does: the means, and the person whom it names. */
type Act = readonly [means: Means, named: Named];

interface Asked {
  readonly needed?: number;
  readonly entries?: readonly ApproverEntry[];
  readonly ofWorkload?: number;
}

/** Returns how many people count for each quorum, after these acts in this order. */
function countedPeople(acts: readonly Act[], { needed = 1, entries = [{ ...entry, needed }], ofWorkload = 0 }: Asked) {
  const rules: ApprovalRules = { people, approvers: entries, namesAreProved: [] };
  const requirement = requirementFor(place, { required: ofWorkload }, rules);
  if (requirement === undefined) throw new Error("the update needs no approval");
  const cast = ([means, named]: Act) => {
    if (means === "token") return voterOf({ kind: "token", token: `token of ${named}` }, rules);
    if (means === "IAM") return voterOf({ kind: "iam", arn: `arn:aws:iam::111122223333:user/${named}` }, rules);
    const settings = { required: 1, approvedBy: named, approvedImage: `1.1.0@${digest("1")}` };
    const update = { seq: 1, changes: [change], isAsked: true, isExpired: false };
    const verdict = judgeAnnotation({ settings, update, requirement, people, read: [] });
    return verdict.kind === "counts"
      ? { person: verdict.person, proof: { kind: "annotation", ...verdict.approval } as const }
      : undefined;
  };
  const votes = acts.flatMap((act, index): Vote[] => {
    const voter = cast(act);
    const hash = bindingHash(binding);
    return voter ? [{ ...voter, decision: "approve", binding, bindingHash: hash, at: epochMs(noon + index) }] : [];
  });
  const stored = [...new Map(votes.map((vote) => [voterOfVote(vote), vote])).values()];
  const { missing } = countVotes(requirement, stored, []);
  return missing.length === 0 ? "released" : missing.map(({ more }) => `${more} missing`).join(", ");
}

const allNamed: readonly Named[] = ["ana", "ben", "ANA", "ana@example.com"];

describe("one approval", () => {
  it.each<[Means, Readonly<Record<Named, boolean>>]>([
    ["token", { ana: true, ben: true, ANA: false, "ana@example.com": false }],
    ["IAM", { ana: true, ben: true, ANA: false, "ana@example.com": false }],
    ["annotation", { ana: true, ben: true, ANA: false, "ana@example.com": true }],
  ])("by %s releases an update that needs one person", (means, expected) => {
    expect(
      Object.fromEntries(allNamed.map((named) => [named, countedPeople([[means, named]], {}) === "released"])),
    ).toEqual(expected);
  });
});

describe("two approvals, the first of ana", () => {
  const only = { ana: "1 missing", ben: "1 missing", ANA: "1 missing", "ana@example.com": "1 missing" };
  const both = { ...only, ben: "released" };
  const none = { ana: "2 missing", ben: "2 missing", ANA: "2 missing", "ana@example.com": "2 missing" };
  const second = { ...none, ana: "1 missing", ben: "1 missing" };

  it.each<[Means, Means, Readonly<Record<Named, string>>]>([
    ["token", "token", both],
    ["token", "IAM", both],
    ["token", "annotation", only],
    ["IAM", "token", both],
    ["IAM", "IAM", both],
    ["IAM", "annotation", only],
    ["annotation", "token", second],
    ["annotation", "IAM", second],
    ["annotation", "annotation", none],
  ])("by %s and by %s count each proved person once", (first, then, expected) => {
    const counted = (asked: Asked) =>
      Object.fromEntries(
        allNamed.map((named) => [
          named,
          countedPeople(
            [
              [first, "ana"],
              [then, named],
            ],
            asked,
          ),
        ]),
      );

    expect(counted({ needed: 2 })).toEqual(expected);
    expect(counted({ entries: [{ ...entry, notTheAuthor: true }] })).toEqual(expected);
    expect(counted({ needed: 1 })).toEqual({
      ana: "released",
      ben: "released",
      ANA: "released",
      "ana@example.com": "released",
    });
  });
});

describe("an annotation", () => {
  const ofAna = { ...entry, people: ["ana"] };
  const ofBen = { ...entry, people: ["ben"] };

  it("gives no second person to a workload that asks for more people than its entries", () => {
    const acts: Act[] = [
      ["token", "ana"],
      ["annotation", "ben"],
    ];

    expect(countedPeople(acts, { entries: [entry], ofWorkload: 2 })).toBe("1 missing");
    expect(countedPeople([...acts, ["IAM", "ben"]], { entries: [entry], ofWorkload: 2 })).toBe("released");
  });

  it("gives no second person to entries that name different people", () => {
    const entries = [ofAna, ofBen];

    expect(
      countedPeople(
        [
          ["token", "ana"],
          ["annotation", "ben"],
        ],
        { entries },
      ),
    ).toBe("1 missing");
    expect(countedPeople([["annotation", "ben"]], { entries })).toBe("1 missing, 1 missing");
    expect(
      countedPeople(
        [
          ["token", "ana"],
          ["IAM", "ben"],
        ],
        { entries },
      ),
    ).toBe("released");
  });

  it("of a person whom all entries name is enough for entries that need one person", () => {
    expect(countedPeople([["annotation", "ben"]], { entries: [entry, ofBen] })).toBe("released");
  });

  it("is not enough beside an entry that needs two people", () => {
    const entries = [ofBen, { ...entry, needed: 2 }];

    expect(countedPeople([["annotation", "ben"]], { entries })).toBe("1 missing, 2 missing");
  });
});
