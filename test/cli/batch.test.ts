import { describe, expect, it } from "vitest";
import { lookout } from "./world.ts";

/** Runs a batch over an input that comes in these pieces. */
async function batch(verb: string, ...pieces: readonly string[]) {
  const piped = async function* () {
    yield* pieces;
  };
  const { stdout, stderr, exitCode } = await lookout([...verb.split(" "), "--batch"], {}, { stdin: piped });
  const answers = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
  return { answers, exitCode, stderr };
}

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("lookout image parse --batch", () => {
  it("splits each reference, and invents no tag", async () => {
    const { answers, exitCode } = await batch(
      "image parse",
      `{"reference":"nginx:1.27"}\n{"reference":"nginx"}\n{"reference":"index.docker.io/a/b:1@${digest}"}\n`,
    );

    expect(exitCode).toBe(0);
    expect(answers).toEqual([
      {
        ok: true,
        registry: "docker.io",
        repository: "library/nginx",
        tag: "1.27",
        digest: null,
        familiar: "nginx:1.27",
        canonical: "docker.io/library/nginx:1.27",
      },
      {
        ok: true,
        registry: "docker.io",
        repository: "library/nginx",
        tag: null,
        digest: null,
        familiar: "nginx",
        canonical: "docker.io/library/nginx",
      },
      {
        ok: true,
        registry: "docker.io",
        repository: "a/b",
        tag: "1",
        digest,
        familiar: `a/b:1@${digest}`,
        canonical: `docker.io/a/b:1@${digest}`,
      },
    ]);
  });

  it.each([
    ["", "empty"],
    ["a b", "invalid-format"],
    ["Repo", "uppercase"],
    [`a/${"b".repeat(254)}`, "name-too-long"],
    ["a@sha256:0123456789abcdef0123456789abcdef", "digest-invalid"],
  ])("reports %j as %s, which is no failure of the batch", async (reference, code) => {
    const { answers, exitCode } = await batch("image parse", `${JSON.stringify({ reference })}\n`);

    expect(answers).toMatchObject([{ ok: false, error: { code } }]);
    expect(exitCode).toBe(0);
  });

  it("reports a faulty line, continues, and ends with 2", async () => {
    const lines = ["{", "", "7", "{}", '{"reference":7}', '{"referense":"nginx"}', '{"reference":"nginx","tag":"1"}'];
    const { answers, exitCode } = await batch("image parse", [...lines, '{"reference":"a"}', ""].join("\n"));

    expect(exitCode).toBe(2);
    expect(answers.slice(0, lines.length)).toEqual(
      [
        expect.stringMatching(/^not JSON: /) as string,
        expect.stringMatching(/^not JSON: /) as string,
        "the line: expected an object, not 7",
        "reference: is missing; expected a text",
        "reference: expected a text, not 7",
        "referense: is not known here; did you mean reference?",
        "tag: is not known here",
      ].map((message) => ({ ok: false, error: { code: "bad-line", message } })),
    );
    expect(answers.slice(lines.length)).toMatchObject([{ ok: true, familiar: "a" }]);
  });

  it("reads lines from chunks of any size, and a last line without a line break", async () => {
    const { answers, exitCode } = await batch(
      "image parse",
      '{"refer',
      'ence":"a"',
      '}\n{"reference":"b"}\r\n{"re',
      'ference":"c"}',
    );

    expect(answers).toMatchObject([{ familiar: "a" }, { familiar: "b" }, { familiar: "c" }]);
    expect(exitCode).toBe(0);
  });

  it("writes no answer for an empty line", async () => {
    expect(await batch("image parse")).toEqual({ answers: [], exitCode: 0, stderr: "" });
  });

  it("answers a line before the next line arrives", async () => {
    const seen: string[] = [];
    const asked = async function* () {
      yield '{"reference":"a"}\n';
      seen.push("asked for more");
      yield '{"reference":"b"}\n';
    };
    const ready = async () => void seen.push("answered");
    await lookout(["image", "parse", "--batch"], {}, { stdin: asked, outputReady: ready });

    expect(seen).toEqual(["answered", "asked for more", "answered"]);
  });
});
