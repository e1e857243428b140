import { describe, expect, it } from "vitest";
import { judgeAnnotation, namesAll, withRead } from "#domain/approval/annotation";
import type { Requirement } from "#domain/approval/approvers";
import { aChange, digest, imageName } from "../builders.ts";

const settings = (approvedImage: string, approvedBy = "ana") => ({ required: 1, approvedBy, approvedImage });
const anyone: Requirement = {
  quorums: [{ needed: 1, notTheAuthor: false }],
  deciders: [],
  byAnnotation: "anyone",
};
const withDigest: Requirement = { ...anyone, deciders: ["ana", "ben"], byAnnotation: "deciders-with-digest" };
const pinned = `1.1.0@${digest("1")}`;

const question = {
  settings: settings("1.1.0"),
  update: { seq: 2, changes: [aChange()], isAsked: true, isExpired: false },
  requirement: anyone,
  people: [{ name: "ana", email: "ana@example.com", iam: [] }],
  read: withRead([], settings("1.1.0"), 2),
};
const judge = (given: Partial<typeof question>) => {
  const verdict = judgeAnnotation({ ...question, read: [], ...given });
  return verdict.kind === "ignored" ? verdict.why : verdict.kind;
};

describe("an approval annotation", () => {
  const names = (approvedImage: string, changes = [aChange()]) => namesAll(approvedImage, changes);

  it.each([
    "1.1.0",
    `1.1.0@${digest("1")}`,
    `${imageName}:1.1.0`,
    `${imageName}@${digest("1")}`,
    `${imageName}:1.1.0@${digest("1")}`,
    `app=${imageName}:1.1.0@${digest("1")}`,
  ])("may name the image as %s", (written) => {
    expect(names(written)).toBe(true);
  });

  it.each([
    "1.0.0",
    `1.1.0@${digest("2")}`,
    "registry.test/shop/other:1.1.0",
    imageName,
    `${imageName}:1.0.0@${digest("1")}`,
    `${imageName}:1.1.0@${digest("2")}`,
    `app=${imageName}:1.1.0@${digest("2")}`,
    `app=${imageName}:1.1.0`,
    `side=${imageName}:1.1.0@${digest("1")}`,
    `init:app=${imageName}:1.1.0@${digest("1")}`,
    `app=${imageName}:1.1.0@${digest("1")},side=${imageName}:1.1.0@${digest("1")}`,
  ])("does not approve another image: %s", (written) => {
    expect(names(written)).toBe(false);
  });

  it("must name every image of the update", () => {
    const side = aChange({ name: "side", imageName: "registry.test/shop/side" });

    expect(names("1.1.0", [aChange(), side])).toBe(true);
    expect(names("1.1.0", [aChange(), { ...side, tag: "2.0.0" }])).toBe(false);
  });
});

describe("a text on the object", () => {
  it("counts for the person that it names", () => {
    expect(judgeAnnotation({ ...question, settings: settings("1.1.0", "ana@example.com") })).toEqual({
      kind: "counts",
      person: "ana",
      approval: { by: "ana@example.com", image: "1.1.0" },
    });
  });

  it("without a digest does not count if it was there before the update waited", () => {
    const early = { ...question.update, isAsked: false };
    const why = `lookout.dev/approved-image: 1.1.0 does not count: it was written before update 2 waited. Write lookout.dev/approved-image: ${pinned}`;

    expect(judge({ update: early })).toBe(why);
    expect(judge({ read: withRead([], settings("1.1.0"), 0) })).toBe(why);
    expect(judge({ update: early, settings: settings(pinned) })).toBe("counts");
  });

  it("counts for one update only, and repeatedly for this update", () => {
    expect(judge({ read: withRead([], settings("1.1.0"), 1) })).toBe(
      `lookout.dev/approved-image: 1.1.0 does not count: it counted for update 1. Write lookout.dev/approved-image: ${pinned}`,
    );
    expect(judge({ read: withRead([], settings("1.1.0"), 2) })).toBe("counts");
  });

  it("needs a digest and a decider where an entry of approvers covers the namespace", () => {
    const of = (image: string, by = "ana") => judge({ requirement: withDigest, settings: settings(image, by) });

    expect(of("1.1.0")).toBe(
      `lookout.dev/approved-image: 1.1.0 does not count: it names no digest. Write lookout.dev/approved-image: ${pinned}`,
    );
    expect(of(pinned, "mallory")).toBe(
      `lookout.dev/approved-image: ${pinned} does not count: mallory may not decide. Name another person`,
    );
    expect(of(pinned)).toBe("counts");
  });

  it("does not count where lookout.yaml allows no annotation", () => {
    expect(judge({ requirement: { ...withDigest, byAnnotation: "nobody" } })).toBe(
      "lookout.dev/approved-image: 1.1.0 does not count: lookout.yaml allows no approval by annotation. Use lookout approve",
    );
  });

  it.each([
    { what: "two people", quorums: [{ needed: 2, notTheAuthor: false }], people: 2 },
    { what: "one who is not the author", quorums: [{ needed: 1, notTheAuthor: true }], people: 2 },
    {
      what: "more people in another quorum",
      quorums: [
        { needed: 1, notTheAuthor: false },
        { needed: 3, notTheAuthor: false },
      ],
      people: 3,
    },
  ])("does not count where the update needs $what", ({ quorums, people }) => {
    const why = `lookout.dev/approved-image: ${pinned} does not count: update 2 needs ${people} people, and an annotation proves nobody. `;

    expect(judge({ requirement: { ...withDigest, quorums }, settings: settings(pinned) })).toBe(
      `${why}Use lookout approve`,
    );
    expect(judge({ requirement: { ...anyone, quorums }, settings: settings(pinned) })).toBe(
      `${why}Name people in lookout.yaml, then use lookout approve`,
    );
  });

  it("does not count where another entry asks other people", () => {
    const quorums = ["ana", "ben"].map((name) => ({ needed: 1, people: [name], notTheAuthor: false }));

    expect(judge({ requirement: { ...withDigest, quorums }, settings: settings(pinned) })).toBe(
      `lookout.dev/approved-image: ${pinned} does not count: update 2 needs more people than ana, and an annotation proves nobody. Use lookout approve`,
    );
  });

  describe("for images with different digests", () => {
    const to = `${imageName}:1.1.0@${digest("2")}`;
    const changes = [aChange(), aChange({ name: "side", digest: digest("2"), to })];
    const update = { ...question.update, changes };
    const whole = `app=${aChange().to},side=${to}`;

    it("names all of them as the text of the available update does", () => {
      expect(judge({ update: { ...update, isAsked: false } })).toBe(
        `lookout.dev/approved-image: 1.1.0 does not count: it was written before update 2 waited. Write lookout.dev/approved-image: ${whole}`,
      );
      expect(judge({ update, settings: settings(whole), requirement: withDigest })).toBe("counts");
    });

    it("needs another approver or a vote after that text was read", () => {
      const read = [...withRead([], settings(whole), 1), ...withRead([], settings("1.1.0"), 0)];

      expect(judge({ update, read })).toMatch(/Write another lookout.dev\/approved-by$/);
      expect(judge({ update, read, requirement: withDigest })).toMatch(/Use lookout approve$/);
    });
  });

  it.each([
    { what: "another tag", written: "1.0.0" },
    { what: "another digest", written: `1.1.0@${digest("2")}` },
    { what: "another image", written: "registry.test/shop/other:1.1.0" },
    { what: "an image without a tag", written: imageName },
    { what: "the available update of another digest", written: `app=${imageName}:1.1.0@${digest("2")}` },
  ])("says which text counts instead of $what", ({ written }) => {
    expect(judge({ settings: settings(written) })).toBe(
      `lookout.dev/approved-image: ${written} does not count: it does not name the images of update 2. Write lookout.dev/approved-image: ${pinned}`,
    );
  });

  it("says that one annotation without the other approves nothing", () => {
    expect(judge({ settings: { required: 1, approvedImage: "1.1.0" } as never })).toBe(
      "lookout.dev/approved-image: 1.1.0 does not count: lookout.dev/approved-by is missing. Write lookout.dev/approved-by with your name",
    );
    expect(judge({ settings: { required: 1, approvedBy: "ana" } as never })).toBe(
      "lookout.dev/approved-by: ana does not count: lookout.dev/approved-image is missing. Write lookout.dev/approved-image with the tag and digest",
    );
    expect(judge({ settings: { required: 1 } as never })).toBe("none");
  });

  it("does not count after the approval expired, unless it counted before", () => {
    const update = { ...question.update, isExpired: true };

    expect(judge({ update })).toBe(
      "lookout.dev/approved-image: 1.1.0 does not count: the approval of update 2 expired",
    );
    expect(judge({ update, read: withRead([], settings("1.1.0"), 2) })).toBe("none");
  });

  it("is remembered, with the first update that it counted for", () => {
    const texts = Array.from({ length: 120 }, (_, index) => settings(`1.${index}.0`));
    const read = texts.reduce<ReturnType<typeof withRead>>((all, text, index) => withRead(all, text, index + 1), []);

    expect(read.length).toBe(100);
    expect(withRead(read, settings("1.119.0"), 500)).toEqual(read);
  });
});
