import { describe, expect, it } from "vitest";
import { comparisonOf, whatChanged } from "#domain/image/comparison";
import { originOf } from "#domain/image/origin";

const [a, b] = ["aaaaaaa1", "bbbbbbb2"];
const github = "https://github.com/acme/api";

describe("the link to what changed between two images", () => {
  it.each([
    [github, `${github}/compare/${a}...${b}`, `${github}/commit/${b}`],
    [
      "https://gitlab.com/acme/shop/api",
      `https://gitlab.com/acme/shop/api/-/compare/${a}...${b}`,
      `https://gitlab.com/acme/shop/api/-/commit/${b}`,
    ],
    [
      "https://bitbucket.org/acme/api",
      `https://bitbucket.org/acme/api/branches/compare/${b}%0D${a}`,
      `https://bitbucket.org/acme/api/commits/${b}`,
    ],
    [
      "https://codeberg.org/acme/api",
      `https://codeberg.org/acme/api/compare/${a}...${b}`,
      `https://codeberg.org/acme/api/commit/${b}`,
    ],
    [
      "https://gitea.com/acme/api",
      `https://gitea.com/acme/api/compare/${a}...${b}`,
      `https://gitea.com/acme/api/commit/${b}`,
    ],
  ])("compares the commits of %s", (source, comparison, commit) => {
    const to = { source, revision: b };

    expect(comparisonOf({ source, revision: a }, to)).toEqual({ url: comparison });
    expect(comparisonOf(undefined, to)).toEqual({ url: commit });
  });

  it.each([
    ["an old image that names no commit", { source: github }],
    ["an old image that names no repository", { revision: a }],
    ["an old image of the same commit", { source: github, revision: b }],
  ])("is the commit of the new image beside %s", (_, from) => {
    expect(comparisonOf(from, { source: github, revision: b })).toEqual({ url: `${github}/commit/${b}` });
  });

  it("ignores how a source is written", () => {
    const origin = (source: string, revision: string) =>
      originOf({ "org.opencontainers.image.source": source, "org.opencontainers.image.revision": revision });

    expect(comparisonOf(origin("git@github.com:Acme/API.git", a), origin(`${github}/`, b))).toEqual({
      url: `${github}/compare/${a}...${b}`,
    });
  });

  it.each([
    [
      "the repositories differ",
      { source: "https://github.com/acme/old", revision: a },
      { source: github, revision: b },
    ],
    ["the new image names no commit", { source: github, revision: a }, { source: github }],
    ["the new image names no repository", { source: github, revision: a }, { revision: b }],
    ["the new image names nothing", { source: github, revision: a }, undefined],
    ["a stored source is none that Lookout would take", undefined, { source: "https://evil.example/x/y", revision: b }],
  ])("is absent when %s", (_, from, to) => {
    expect(comparisonOf(from, to)).toBeUndefined();
  });

  it("leaves the commits of an unknown code host without a link", () => {
    expect(whatChanged({ revision: a }, { revision: b })).toEqual({ from: { revision: a }, to: { revision: b } });
    expect(whatChanged({ revision: a }, undefined)).toBeUndefined();
  });
});
