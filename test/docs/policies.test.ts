import { describe, expect, it } from "vitest";
import { prereleaseWords } from "#domain/version/prerelease";
import { type CandidateTag, selectTag, type TagPolicy } from "#domain/policy/policy";
import { epochMs } from "#domain/shared/time";
import { lookout } from "../cli/world.ts";
import { pattern } from "../domain/policy/matchers.ts";
import { blocksOf, page } from "./markdown.ts";

const policies = page("docs/policies.md");
const examples = blocksOf(policies)
  .filter(({ language }) => language === "console")
  .map(({ place, text }) => {
    const [typed = "", ...printed] = text.split("\n");
    return { place, typed, printed: printed.join("\n") };
  });

/** Splits what is typed as a shell does that knows single quotes alone. */
function wordsOf(typed: string): readonly string[] {
  return [...typed.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

describe("the page of policies", () => {
  it.each(examples)("shows at $place the output of the command", async ({ typed, printed }) => {
    const [prompt, program, ...words] = wordsOf(typed);

    expect([prompt, program]).toEqual(["$", "lookout"]);
    expect((await lookout(words, {})).stdout).toBe(printed);
  });

  it.each(blocksOf(policies).filter(({ language }) => language === "jsonl"))(
    "shows at $place what a batch answers",
    async ({ text }) => {
      const [line = "", answer = ""] = text.split("\n");
      const piped = async function* () {
        yield line;
      };

      expect((await lookout(["policy", "elect", "--batch"], {}, { stdin: piped })).stdout).toBe(`${answer}\n`);
    },
  );

  it("has an example of every policy", () => {
    const tried = examples.map(({ typed }) => /--policy (\w+)/.exec(typed)?.[1] ?? "semver");

    expect(new Set(tried)).toEqual(new Set(["semver", "digest", "latest", "regex", "alphabetical", "numerical"]));
  });
});

describe("the words of pre-releases", () => {
  it("are all on the page", () => {
    const [, words = ""] = /<!-- words -->([\s\S]*)<!-- \/words -->/.exec(policies.text) ?? [];

    expect(plain(words).trim().split(/\s+/)).toEqual([...prereleaseWords]);
  });
});

describe("the awkward lists of tags", () => {
  const [, table = ""] = /<!-- lists -->([\s\S]*)<!-- \/lists -->/.exec(policies.text) ?? [];
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/));

  it("are ten or more, each under every policy", () => {
    expect(head).toEqual(["runs", "tags", ...everyPolicy.map(({ kind }) => kind)]);
    expect(rows.length).toBeGreaterThanOrEqual(10);
  });

  it.each(rows)("%s of %s", (runs = "", tags = "", ...shown) => {
    expect(outcomesOf(runs, tags.split(" "))).toEqual(shown);
  });
});

const [, shownPattern = ""] = /`regex` has the pattern `(.+?)`/.exec(policies.text) ?? [];
/** In the order of the page. */
const everyPolicy: readonly TagPolicy[] = [
  { kind: "semver", allowPrerelease: false },
  { kind: "digest" },
  { kind: "latest" },
  { kind: "regex", pattern: pattern(shownPattern) },
  { kind: "alphabetical", order: "asc" },
  { kind: "numerical", order: "asc" },
];

function outcomesOf(runs: string, tags: readonly string[]): readonly string[] {
  const pushed: readonly CandidateTag[] = tags.map((name, minute) => ({ name, movedAt: epochMs(minute * 60_000) }));
  return everyPolicy.map((policy) => {
    const selection = selectTag({ policy, allowDowngrade: false }, { tag: runs }, pushed);
    if (selection.kind === "none") return words[selection.reason];
    return selection.kind === "unchanged" ? "stays" : selection.tag;
  });
}

const words = {
  "no-tag-fits": "none fits",
  "would-downgrade": "only older ones fit",
  "current-tag-not-a-version": "running: no version",
  "current-tag-not-comparable": "not comparable",
  "no-tag-to-follow": "there is no tag to follow",
} as const;

function plain(cell = ""): string {
  return cell.replaceAll("`", "");
}
