import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";

const ben = { name: "ben", iam: "arn:aws:iam::111122223333:user/ben" };
const people = [{ name: "ana", tokenHash: `sha256:${"a".repeat(64)}` }, ben, { name: "eva", email: "eva@example.com" }];
const namespaces = ["shop"];

/** The path, value and message of each problem. */
function problemsOf(configuration: object): readonly string[] {
  const parsed = parseConfiguration(configuration);
  return parsed.ok ? [] : parsed.problem.map(({ path, value, message }) => `${path} ${value ?? "–"}: ${message}`);
}

describe("an entry of approvers", () => {
  it.each([
    { entry: { people: ["ana", "ben"], needed: 2 }, problems: [] },
    { entry: { people: ["eva"], byAnnotation: true }, problems: [] },
    ...[
      { needed: 2, needs: 2 },
      { notTheAuthor: true, needs: 2 },
      { needed: 3, notTheAuthor: true, needs: 4 },
    ].map(({ needs, ...asked }) => ({
      entry: { people: ["ana", "ben"], byAnnotation: true, ...asked },
      problems: [
        `approvers[0].byAnnotation true: can't be true where ${needs} people must approve: an annotation proves nobody. Remove byAnnotation, or let one person approve: needed: 1 without notTheAuthor`,
      ],
    })),
    {
      entry: { people: ["ana"], needed: 2 },
      problems: ["approvers[0].people –: has too few people: 2 must approve, and 1 can"],
    },
    {
      entry: { people: ["ana", "ana"], needed: 2 },
      problems: ["approvers[0].people –: has too few people: 2 must approve, and 1 can"],
    },
    {
      entry: { people: ["ana"], notTheAuthor: true },
      problems: [
        "approvers[0].people –: has too few people: 2 must approve, because the author of an image may be one of them, and 1 can",
      ],
    },
    {
      entry: { people: ["ana", "ana", "zoe"] },
      problems: ['approvers[0].people[2] "zoe": is not the name of a person in people'],
    },
    {
      entry: { people: ["ana", "eva"], needed: 2 },
      problems: [
        "approvers[0].people –: has too few people: 2 must approve, and 1 can; without iam, tokenHash or token: eva",
      ],
    },
  ])("must have enough people: $entry", ({ entry, problems }) => {
    expect(problemsOf({ people, approvers: [{ namespaces, ...entry }] })).toEqual(problems);
  });
});

describe("people", () => {
  it.each([
    { of: "a name", email: "ana", what: "name" },
    { of: "a name in capitals", email: " ANA\u200b ", what: "name" },
    { of: "an address", email: "ana@example.com", what: "email" },
    { of: "an address in capitals", email: "Ana@Example.COM", what: "email" },
    { of: "an address in white space", email: "\tana@example.com\u00a0", what: "email" },
    { of: "an address in wide letters", email: "ana\uff20\uff45xample.com", what: "email" },
    { of: "an address with an invisible character", email: "ana@exam\u00adple.com", what: "email" },
  ])("have no address that is another person's: $of", ({ email, what }) => {
    const ana = { name: "ana", email: "ana@example.com" };
    const message = (of: string, other: number) =>
      `is also the ${of} of entry [${other}] of this list: one address can't mean two people`;

    expect(problemsOf({ people: [ana, { name: "bo", email }] })).toEqual([
      expect.stringMatching(/^people\[1\]\.email /) as unknown,
    ]);
    expect(problemsOf({ people: [ana, { name: "bo", email }] })[0]).toContain(message(what, 0));
    // The other order of the list.
    expect(problemsOf({ people: [{ name: "bo", email }, ana] })[0]).toContain(message(what, what === "name" ? 1 : 0));
  });

  it("may have their own name as their address, and one principal in two forms", () => {
    const session = "AWSReservedSSO_Release_0123456789abcdef/ana@example.com";
    const iam = [session, `arn:aws:sts::111122223333:assumed-role/${session}`];

    expect(problemsOf({ people: [{ name: "ana", email: "ana", iam }] })).toEqual([]);
  });

  it("do not share a token", () => {
    const tokenHash = `sha256:${"a".repeat(64)}`;

    expect(
      problemsOf({
        people: [
          { name: "ana", tokenHash },
          { name: "bo", tokenHash },
        ],
      }),
    ).toEqual([
      expect.stringMatching(/^people\[1\]\.tokenHash .* also belongs to entry \[0\] of this list/) as unknown,
    ]);
  });

  it("do not share a personal token, and one with a token can approve", () => {
    const [ana, bo] = ["ana", "bo"].map((name) => ({ name, token: "ana" }));

    expect(problemsOf({ people: [ana, bo] })).toEqual([
      expect.stringMatching(/^people\[1\]\.token .* also belongs to entry \[0\] of this list/) as unknown,
    ]);
    expect(problemsOf({ people: [ana], approvers: [{ namespaces: ["shop"], people: ["ana"] }] })).toEqual([]);
    expect(problemsOf({ people: [{ name: "ana", token: "Ana_" }] })).toEqual([
      expect.stringMatching(/^people\[0\]\.token /) as unknown,
    ]);
  });

  it("are different callers", () => {
    expect(problemsOf({ people: [ben, { ...ben, name: "bo" }] })).toEqual([
      expect.stringContaining("also belongs to entry [0] of this list: one caller can't be two people"),
    ]);
  });

  it("are different callers even if one session is written in two forms", () => {
    const session = "AWSReservedSSO_Release_0123456789abcdef/ana@example.com";
    const arn = `arn:aws:sts::111122223333:assumed-role/${session}`;
    const twins = [
      { name: "ana", iam: session },
      { name: "anna", iam: arn },
    ];

    for (const named of [twins, twins.toReversed()])
      expect(problemsOf({ people: named })).toEqual([
        expect.stringContaining("also belongs to entry [0] of this list: one caller can't be two people"),
      ]);
    const other = arn.replace("111122223333", "444455556666");
    expect(problemsOf({ people: [twins[1], { name: "bo", iam: other }] })).toEqual([]);
  });

  it("are not sessions whose callers choose the name", () => {
    expect(problemsOf({ people: [{ name: "ana", iam: "release/ana" }] })).toEqual([
      expect.stringContaining("List the role in namesAreProved if its trust policy fixes sts:RoleSessionName"),
    ]);
  });
});
