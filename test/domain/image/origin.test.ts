import { describe, expect, it } from "vitest";
import { mergedOrigin, originOf } from "#domain/image/origin";

const labels = (stated: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(stated).map(([name, value]) => [`org.opencontainers.image.${name}`, value]));

const source = "https://github.com/acme/api";
const revision = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";

describe("the origin that an image states", () => {
  it("has the repository, the commit and the version", () => {
    const stated = { source: `${source}.git`, revision: revision.toUpperCase(), version: "v1.2.3-rc.1+5" };

    expect(originOf(labels({ ...stated, title: "api" }))).toEqual({ source, revision, version: "v1.2.3-rc.1+5" });
  });

  it.each([
    ["a short commit", { revision: "9f8e7d6" }, { revision: "9f8e7d6" }],
    ["a commit by SHA-256", { revision: "a".repeat(64) }, { revision: "a".repeat(64) }],
    ["a branch as version", { version: "feature/x" }, { version: "feature/x" }],
  ])("may be only %s", (_, stated, origin) => {
    expect(originOf(labels(stated))).toEqual(origin);
  });

  it.each<[what: string, stated: unknown]>([
    ["no labels", undefined],
    ["null", null],
    ["a text", "labels"],
    ["a list", [source]],
    ["a number", 7],
    ["other labels", { maintainer: "ana" }],
    ["labels of another type", labels({ source: [source], revision: 9_876_543, version: {} })],
    ["empty labels", labels({ source: "", revision: "", version: "" })],
    ["a commit with six digits", labels({ revision: "9f8e7d" })],
    ["a commit with 65 digits", labels({ revision: "a".repeat(65) })],
    ["a commit with local changes", labels({ revision: `${revision}-dirty` })],
    ["a branch as commit", labels({ revision: "main" })],
    ["a commit with a line break", labels({ revision: `${revision}\n` })],
    ["a commit that leads elsewhere", labels({ revision: `${revision}/../../evil` })],
    ["a version with a space", labels({ version: "1.0 <!channel>" })],
    ["a version with a mark of messages", labels({ version: "<!channel>" })],
    ["a version with an escape of terminals", labels({ version: "1.0\u001b[2J" })],
    ["a version of 129 characters", labels({ version: "1".repeat(129) })],
    ["an unknown code host", labels({ source: "https://git.example.com/acme/api" })],
  ])("is nothing for %s", (_, stated) => {
    expect(originOf(stated)).toBeUndefined();
  });

  it("does not come from a prototype", () => {
    expect(originOf(Object.create(labels({ revision })))).toBeUndefined();
  });

  it("keeps the good members beside a bad one", () => {
    expect(originOf(labels({ source: "ftp://x", revision, version: " " }))).toEqual({ revision });
  });
});

describe("the origins of an index and its image", () => {
  it.each([
    ["only the index states one", { source }, undefined, { source }],
    ["only the image states one", undefined, { revision }, { revision }],
    ["neither states one", undefined, undefined, undefined],
    ["each states a part", { source }, { revision }, { source, revision }],
    ["both state a commit", { source, revision: "aaaaaaa" }, { source, revision }, { source, revision: "aaaaaaa" }],
    [
      "the image has the labels of its base image",
      { source },
      { source: "https://github.com/base/os", revision, version: "12" },
      { source },
    ],
  ])("are merged when %s", (_, outer, inner, merged) => {
    expect(mergedOrigin(outer, inner)).toEqual(merged);
  });
});
