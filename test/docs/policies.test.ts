import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { prereleaseWords } from "#domain/version/prerelease";
import { type CandidateTag, selectTag, type TagPolicy } from "#domain/policy/policy";
import { annotationPrefix, parseSettings } from "#domain/settings/settings";
import { epochMs } from "#domain/shared/time";
import { lookout } from "../cli/world.ts";
import { compile, pattern, tag } from "../domain/policy/matchers.ts";
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

describe("the annotations that fit tags", () => {
  const [, table = ""] = /<!-- tags -->([\s\S]*)<!-- \/tags -->/.exec(policies.text) ?? [];
  const rows = table
    .trim()
    .split("\n")
    .slice(2)
    .map((line) => {
      const [tags = [], annotations = [], [selected = ""] = []] = line.split("|").slice(1, -1).map(codesOf);
      return { tags, annotations: annotations.map(annotationOf), selected };
    });

  it.each(rows)("$tags: $annotations select $selected", ({ tags, annotations, selected }) => {
    expect(selectionBy(Object.fromEntries(annotations), tags)).toEqual({ problems: [], selected });
  });

  it("cover the usual forms of tags", () => {
    const running = rows.map(({ tags: [first = ""] }) => first.replaceAll(/\d+/g, "1"));

    expect(running).toEqual([
      "1.1.1",
      "v1.1.1",
      "1.1.1",
      "1.1.1",
      "v1-1-1",
      "build-1",
      "1.1.1-main.1",
      "main-1-abc1",
      "sha-1f1a1c1",
      "1.1-alpine1.1",
      "1.1-alpine1.1",
      "1.1.1-debian-1-r1",
      "1.1.1-r1",
      "1.1.1",
      "1.1.1.1",
      "latest",
      "stable",
    ]);
  });

  it("are those of the manifest below the table", () => {
    const [, below = ""] = policies.text.split("<!-- /tags -->");
    const [manifest] = blocksOf({ path: policies.path, text: below });
    const { metadata, spec } = parse(manifest?.text ?? "") as Manifest;
    const running = /[^:]+$/.exec(spec.template.spec.containers[0]?.image ?? "")?.[0];
    const row = rows.find(({ tags: [first] }) => first === running);

    expect(metadata.annotations).toEqual(
      Object.fromEntries([["lookout.dev/enabled", "true"], ...(row?.annotations ?? [])]),
    );
  });
});

interface Manifest {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/** Returns the code spans of a cell. */
function codesOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** Returns `suffixes: revision` as an annotation with its prefix. */
function annotationOf(code: string): readonly [string, string] {
  const [, key = "", value = ""] = /^([\w-]+): (.+)$/.exec(code) ?? [];
  return [`${annotationPrefix}${key}`, value];
}

/**
 * Returns the tag that annotations select. The first tag runs, and the tags are in the order of
 * their pushes.
 */
function selectionBy(annotations: Readonly<Record<string, string>>, tags: readonly string[]) {
  const [running = ""] = tags;
  const image = { name: "app", image: `registry.example.com/shop/app:${running}`, list: "containers" } as const;
  const written = { [`${annotationPrefix}enabled`]: "true", ...annotations };
  const { containers, problems } = parseSettings(written, [image], compile);
  const { app } = containers;
  if (app === undefined) return { problems, selected: "" };
  const pushed = tags.map((name, minute) => tag(`${name}@${minute}`));
  const selection = selectTag(app, { tag: running }, pushed);
  const closing = problems.filter(({ closes }) => closes);
  return { problems: closing, selected: selection.kind === "none" ? selection.reason : selection.tag };
}

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
