import { describe, expect, it } from "vitest";
import { lookout } from "./world.ts";

const typed = async function* (...pieces: readonly string[]) {
  yield* pieces;
};

async function match(...cases: readonly unknown[]) {
  const stdin = () => typed(...cases.map((one) => `${JSON.stringify(one)}\n`));
  const { stdout, exitCode } = await lookout(["pattern", "match", "--batch"], {}, { stdin });
  const answers = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
  return { answers, exitCode };
}

describe("lookout pattern match --batch", () => {
  it("says of each event whether its pattern means it, and what is no pattern", async () => {
    const event = { source: "aws.ecr", detail: { "image-tag": "1.2.0" } };
    const answered = await match(
      { pattern: { source: ["aws.ecr"] }, event },
      { pattern: { detail: { "image-tag": [{ "anything-but": { prefix: "1." } }] } }, event },
      { pattern: { detail: { "image-tag": [{ prefix: 1 }] } }, event },
      { pattern: {}, event: {} },
    );

    const refused = (message: string) => ({ ok: false, error: { code: "pattern-invalid", message } });
    expect(answered).toEqual({
      answers: [
        { ok: true, matches: true },
        { ok: true, matches: false },
        refused("detail.image-tag[0].prefix: 1: expected a text"),
        refused("the pattern: {}: expected at least one field"),
      ],
      exitCode: 0,
    });
  });

  it.each([
    [{ pattern: { a: [1] } }, "event: is missing; expected an object"],
    [{ pattern: "a", event: {} }, 'pattern: expected an object, not "a"'],
    [{ pattern: { a: [1] }, event: [] }, "event: expected an object, not []"],
    [{ patern: { a: [1] }, event: {} }, "patern: not known here; did you mean pattern?"],
  ])("refuses the line %j, and ends with 2", async (line, message) => {
    const answered = await match(line, { pattern: { a: [1] }, event: { a: 1 } });

    expect(answered).toEqual({
      answers: [
        { ok: false, error: { code: "bad-line", message } },
        { ok: true, matches: true },
      ],
      exitCode: 2,
    });
  });
});

describe("a line of lookout pattern match --batch, however odd", () => {
  const answer = async (line: string) => {
    const { stdout } = await lookout(["pattern", "match", "--batch"], {}, { stdin: () => typed(`${line}\n`) });
    return JSON.parse(stdout) as unknown;
  };

  it("asks for a field that is called __proto__ as for any other", async () => {
    const line = '{"pattern":{"source":["x"],"__proto__":["y"]},"event":{"source":"x"}}';

    expect(await answer(line)).toEqual({ ok: true, matches: false });
  });

  it("refuses a number that is larger than any that it can compare, and compares one of an event all the same", async () => {
    const message = "a[0]: Infinity: a number that is too large to be told from others";
    const above = '{"pattern":{"a":[{"numeric":[">",5]}]},"event":{"a":1e400}}';

    expect(await answer('{"pattern":{"a":[1e400]},"event":{"a":1e400}}')).toEqual({
      ok: false,
      error: { code: "pattern-invalid", message },
    });
    expect(await answer(above)).toEqual({ ok: true, matches: true });
  });

  it("looks for nothing in more arrays than anybody nests, and takes no time over them", async () => {
    const nested = (depth: number) => `${"[".repeat(depth)}"x"${"]".repeat(depth)}`;
    const line = (depth: number) => `{"pattern":{"a":["x"]},"event":{"a":${nested(depth)}}}`;

    expect(await answer(line(50))).toEqual({ ok: true, matches: true });
    expect(await answer(line(50_000))).toEqual({ ok: true, matches: false });
  });
});

describe("lookout pattern match", () => {
  const on = (pattern: string, event: string, ...flags: readonly string[]) =>
    lookout(["pattern", "match", "--pattern", pattern, "-", ...flags], {}, { stdin: () => typed(event) });

  it("says whether an event matches, and ends with 1 when none does", async () => {
    const matching = await on('{"a":["x"]}', '{"a":"x"}');
    const other = await on('{"a":["x"]}', '{"a":"y"}', "--output", "json");

    expect([matching.stdout, matching.exitCode]).toEqual(["EVENT   MATCHES\n-       yes\n", 0]);
    expect([JSON.parse(other.stdout), other.exitCode]).toEqual([[{ event: "-", matches: false }], 1]);
  });

  it.each([
    ['{"a":[{"prefx":"x"}]}', "{}", '✗ Not a pattern: a[0]: {"prefx":"x"}: not a comparison (prefix?).\n'],
    ['{"a":["x"]', "{}", "✗ --pattern is not JSON: character 11: expected a comma or }, not the end.\n"],
    ['{"a":["x"]}', "[]", "✗ the input holds no event: expected an object.\n"],
    ['{"a":["x"]}', "{", "✗ the input is not JSON: character 2: expected a name in quotes, or }, not the end.\n"],
  ])("says what is wrong with the pattern %s and the event %s", async (pattern, event, said) => {
    const { stderr, exitCode } = await on(pattern, event);

    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(said) as string });
  });

  it("asks for what it needs", async () => {
    const without = await lookout(["pattern", "match", "event.json"], {});
    const eventless = await lookout(["pattern", "match", "--pattern", "{}"], {});
    const unreadable = await lookout(["pattern", "match", "--pattern", '{"a":[1]}', "event.json"], {});

    expect([without.stderr, eventless.stderr, unreadable.stderr]).toEqual([
      "✗ Say which pattern: --pattern.\n",
      "✗ Name a file that holds an event, or - for the input.\n",
      "✗ event.json: there is no such file.\n",
    ]);
  });
});
