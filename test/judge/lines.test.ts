import { describe, expect, it } from "vitest";
import { answersTo, answersToPieces } from "./answers.ts";
import { electLineAnswerer } from "./elect.ts";
import { answerImageLine } from "./image.ts";
import { answerLines } from "./lines.ts";

const badLine = (message: string) => ({ ok: false, error: { code: "bad-line", message } });

describe("a fault of a line", () => {
  it.each([
    ['{"reference":7}', "reference: expected a text, not 7"],
    ['{"reference":{"a":{"b":{"c":{}}}}}', 'reference: expected a text, not {"a":{"b":{"c":…}}}'],
    ['{"refrence":"nginx"}', "refrence: is not known here; did you mean reference?"],
    ['{"reference":"a","pull":true}', "pull: is not known here"],
    ["null", "the line: expected an object, not null"],
    ['{"reference":"a"', "not JSON: character 17: expected a comma or }, not the end"],
  ])("is reported with its place and value: %s", (line, told) => {
    expect(answerImageLine(line)).toEqual(badLine(told));
  });

  it("shows only the beginning of a long value, and whole characters", () => {
    const long = `{"reference":["${"x".repeat(57)}${"🎉".repeat(100_000)}"]}`;

    expect(answerImageLine(long)).toEqual(badLine(`reference: expected a text, not ["${"x".repeat(57)}…`));
  });

  it.each([
    ["a name", `{"${"🎉".repeat(100_000)}":1}`],
    ["a list", `{"reference":[${'"🎉",'.repeat(100_000)}1]}`],
    ["a depth", `{"reference":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["what is no JSON", "🎉".repeat(100_000)],
  ])("is reported in few words for a long %s", (_, line) => {
    const told = answerImageLine(line);

    expect(told.ok || told.error.message.length).toBeLessThan(300);
    expect(told.ok || told.error.message.isWellFormed()).toBe(true);
  });

  it("is reported within the chosen form", async () => {
    const line = '{"policy":{"kind":"latest"},"tags":["a",{"name":"b","movedat":"2026-01-01T00:00:00Z"}]}';
    const { answers } = await answersTo(electLineAnswerer(), line);

    expect(answers).toEqual([badLine("tags[1].movedat: is not known here; did you mean movedAt?")]);
  });
});

describe("the lines of an input", () => {
  it("come in chunks of any size, and the last line needs no line break", async () => {
    const pieces = ['{"refer', 'ence":"a"', '}\n{"reference":"b"}\r\n{"re', 'ference":"c"}'];
    const { answers, exitCode } = await answersToPieces(answerImageLine, pieces);

    expect(answers).toMatchObject([{ familiar: "a" }, { familiar: "b" }, { familiar: "c" }]);
    expect(exitCode).toBe(0);
  });

  it("are none in an empty input", async () => {
    expect(await answersToPieces(answerImageLine, [])).toEqual({ answers: [], exitCode: 0 });
  });

  it("are rejected one by one if they are not UTF-8, in chunks of any size", async () => {
    const [line, accent] = [Buffer.from('{"reference":"a"}\n'), Buffer.from("é")];
    const broken = Buffer.concat([Buffer.from('{"reference":"'), accent.subarray(0, 1), Buffer.from('"}\n')]);
    const sound = Buffer.from('{"référence":"a"}\n');
    const all = Buffer.concat([line, broken, sound, line]);
    const pieces = (length: number) =>
      Array.from({ length: Math.ceil(all.length / length) }, (_, at) => all.subarray(at * length, (at + 1) * length));
    const slip = badLine('["référence"]: is not known here; did you mean reference?');

    for (const length of [1, 7, all.length]) {
      const { answers, exitCode } = await answersToPieces(answerImageLine, pieces(length));

      expect(answers).toMatchObject([
        { familiar: "a" },
        badLine("the line is not UTF-8 text"),
        slip,
        { familiar: "a" },
      ]);
      expect(exitCode).toBe(2);
    }
  });

  it("are answered before more input is read, and after the output accepts text", async () => {
    const seen: string[] = [];
    const input = async function* () {
      yield Buffer.from('{"reference":"a"}\n');
      seen.push("read");
      yield Buffer.from('{"reference":"b"}\n');
    };
    await answerLines(input(), answerImageLine, async (text) => {
      seen.push(`wrote ${text.length} characters`);
      await Promise.resolve();
      seen.push("accepted");
    });

    const answered = [expect.stringMatching(/^wrote \d+ characters$/) as string, "accepted"];
    expect(seen).toEqual([...answered, "read", ...answered]);
  });
});
