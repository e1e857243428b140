import { describe, expect, it } from "vitest";
import { answersTo } from "./answers.ts";
import { answerImageLine } from "./image.ts";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("the judge of images", () => {
  it("splits each reference, and invents no tag", async () => {
    const { answers, exitCode } = await answersTo(
      answerImageLine,
      { reference: "nginx:1.27" },
      { reference: "nginx" },
      { reference: `index.docker.io/a/b:1@${digest}` },
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
  ])("reports %j as %s, and the line is valid", async (reference, code) => {
    const { answers, exitCode } = await answersTo(answerImageLine, { reference });

    expect(answers).toMatchObject([{ ok: false, error: { code } }]);
    expect(exitCode).toBe(0);
  });

  it("reports a faulty line, continues, and ends with 2", async () => {
    const lines = ["{", "", "7", "{}", '{"reference":7}', '{"referense":"nginx"}', '{"reference":"nginx","tag":"1"}'];
    const { answers, exitCode } = await answersTo(answerImageLine, ...lines, { reference: "a" });

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
});
