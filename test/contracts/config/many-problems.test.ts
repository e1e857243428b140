import { describe, expect, it } from "vitest";
import { checkConfiguration, readConfiguration } from "#contracts/config/file";

/** Returns the text of many lines. */
function many(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("");
}

function problemsOf(text: string): readonly string[] {
  const read = checkConfiguration(text);
  return read.ok ? [] : read.problem.map(({ line, column, text: said }) => `${line}:${column} ${said}`);
}

/** An entry of `people` with a token of its own. */
const person = (index: number) => `  - name: p${index}\n    tokenHash: sha256:${index.toString(16).padStart(64, "0")}`;
const user = (name: string | number) => `arn:aws:iam::111122223333:user/${name}`;

describe("a configuration with many problems", () => {
  it.each([
    { what: "unknown keys", text: many(103, (index) => `k${index}: 1`), more: "3 more problems", last: "100:1 k99:" },
    {
      what: "one problem more",
      text: many(101, (index) => `k${index}: 1`),
      more: "1 more problem",
      last: "100:1 k99:",
    },
    {
      what: "unknown keys of entries",
      text: `people:\n${many(150, (index) => `  - {name: p${index}, k: 1}`)}`,
      more: "50 more problems",
      last: "101:17 people[99].k:",
    },
    {
      what: "repeated keys",
      text: many(103, () => "listen: a:1"),
      more: "2 more problems",
      last: "101:1 Map keys must be unique",
    },
  ])("lists 100, and counts the others: $what", ({ text, more, last }) => {
    const problems = problemsOf(text);

    expect(problems).toHaveLength(101);
    expect(problems[99]).toContain(last);
    expect(problems[100]).toBe(`1:1 the file: has ${more}`);
  });

  it("lists exactly 100 problems without a count", () => {
    expect(problemsOf(many(100, (index) => `k${index}: 1`))).toHaveLength(100);
  });

  it("does not claim a number that it does not list", () => {
    const headOf = (count: number) => {
      const text = many(count, (index) => `k${index}: 1`);
      const read = readConfiguration(text, "lookout.yaml");
      return read.ok ? "" : read.problem.split("\n")[0];
    };

    expect(headOf(101)).toBe("the configuration lookout.yaml has more than 100 problems:");
    expect(headOf(100)).toBe("the configuration lookout.yaml has 100 problems:");
    expect(headOf(1)).toBe("the configuration lookout.yaml has a problem:");
  });

  it("names ten of the people who can't approve", () => {
    const names = many(20, (index) => `  - {name: p${index}}`);
    const listed = many(20, (index) => `      - p${index}`);

    expect(problemsOf(`people:\n${names}approvers:\n  - namespaces: [shop]\n    people:\n${listed}`)).toEqual([
      "24:5 approvers[0].people: has too few people: 1 must approve, and 0 can; without iam, tokenHash or token: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, …",
    ]);
  });
});

describe("a problem", () => {
  it("shows invisible characters of keys and values", () => {
    const read = readConfiguration('"li\u200bsten": a:1\nlisten: "\u202eab"\n', "lookout.yaml");
    const text = read.ok ? "" : read.problem;

    expect(text).toContain("li\\u{200b}sten");
    expect(text).toContain("\\u{202e}ab");
  });
});

describe("a repeated key", () => {
  it.each([
    { text: "people:\n  - name: a\n    name: b\n", problems: ["3:5 Map keys must be unique"] },
    { text: "people: [{name: a, name: b}]\n", problems: ["1:20 Map keys must be unique"] },
    { text: '"listen": a:1\nlisten: a:1\n', problems: ["2:1 Map keys must be unique"] },
  ])("is a problem in every mapping: $text", ({ text, problems }) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

describe("a huge configuration", () => {
  const count = 5_000;

  it("is refused by its length", () => {
    expect(problemsOf(`# ${"x".repeat(2 * 1_048_576)}\n`)).toEqual(["1:1 the file: is longer than 2 MiB"]);
  });

  // With a check that compares each entry with all others, most of these would take minutes.
  it.each([
    { what: "unknown keys", text: many(30_000, (index) => `k${index}: 1`), first: "k0: is not a known key" },
    { what: "repeated keys", text: many(30_000, () => "listen: a:1"), first: "Map keys must be unique" },
    { what: "people", text: `people:\n${many(count, person)}`, first: undefined },
    {
      what: "principals of one person",
      text: `people:\n  - name: a\n    iam:\n${many(count, (index) => `      - ${user(index)}`)}`,
      first: undefined,
    },
    {
      what: "people with sessions of proved roles",
      text: `namesAreProved:\n${many(count, (index) => `  - arn:aws:iam::111122223333:role/r${index}`)}people:\n${many(
        count,
        (index) => `  - name: p${index}\n    iam: r${count - 1 - index}/p`,
      )}`,
      first: undefined,
    },
    {
      what: "people with one address",
      text: `people:\n${many(count, (index) => `  - name: p${index}\n    email: a@example.com`)}`,
      first: "people[1].email …@example.com",
    },
    {
      what: "approvers",
      text: `people:\n  - name: a\n    iam: ${user("a")}\napprovers:\n${many(
        count,
        () => "  - namespaces: [shop]\n    people: [a]",
      )}`,
      first: undefined,
    },
    {
      what: "unknown people of an entry",
      text: `approvers:\n  - namespaces: [shop]\n    people:\n${many(count, (index) => `      - p${index}`)}`,
      first: "approvers[0].people[0] ",
    },
    {
      what: "registries",
      text: `registries:\n${many(count, (index) => `  - host: r${index}.example.com`)}`,
      first: undefined,
    },
    {
      what: "freezes with one name",
      text: `freezes:\n${many(count, () => '  - name: f\n    why: x\n    windows: [{start: "22:00", end: "23:00"}]')}`,
      first: "freezes[1].name ",
    },
  ])("is checked in seconds: $what", { timeout: 60_000 }, ({ text, first }) => {
    const [problem] = problemsOf(text);

    if (first === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(first);
  });
});
