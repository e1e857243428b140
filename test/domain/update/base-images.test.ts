import { describe, expect, it } from "vitest";
import { seeBaseImages } from "#domain/update/decide/base-images";
import { aRecord, digest } from "../builders.ts";

const node = { registry: "docker.io", repository: "library/node", tag: "22" };
const java = { registry: "registry.test", repository: "base/java", tag: "21" };
const [nodeText, javaText] = ["docker.io/library/node:22", "registry.test/base/java:21"];
const read = (digests: Readonly<Record<string, string>>) => new Map(Object.entries(digests));
const seen = (number: string, told?: readonly string[]) => ({
  image: nodeText,
  digest: digest(number),
  ...(told && { told: told.map(digest) }),
});
const see = (before: Parameters<typeof aRecord>[0], digests: Readonly<Record<string, string>>, named = [node]) =>
  seeBaseImages(aRecord(before), { baseImages: named }, read(digests));

describe("base images", () => {
  it("are stored at their first digest, which is no move", () => {
    expect(see({}, { [nodeText]: digest("1") })).toEqual({ changes: { baseImages: [seen("1")] }, transitions: [] });
  });

  it("that move are told together, with the digests before and after", () => {
    const before = { baseImages: [seen("1"), { image: javaText, digest: digest("2") }] };
    const moves = [
      { image: nodeText, from: digest("1"), digest: digest("3") },
      { image: javaText, from: digest("2"), digest: digest("4") },
    ];
    expect(see(before, { [nodeText]: digest("3"), [javaText]: digest("4") }, [node, java])).toEqual({
      changes: { baseImages: [seen("3", ["3"]), { image: javaText, digest: digest("4"), told: [digest("4")] }] },
      transitions: [
        {
          seq: 0,
          what: "base-image-moved",
          reasons: [],
          changes: [],
          baseImages: moves,
          detail: `${nodeText} moved from ${digest("1")} to ${digest("3")}, ${javaText} moved from ${digest("2")} to ${digest("4")}`,
        },
      ],
    });
  });

  it("change nothing with the same digest, or without an answer", () => {
    expect(see({ baseImages: [seen("1")] }, { [nodeText]: digest("1") })).toBeUndefined();
    expect(see({ baseImages: [seen("1")] }, {})).toBeUndefined();
    expect(see({}, {})).toBeUndefined();
  });

  it("whose tag moves back and forth tell each digest once", () => {
    let baseImages = [seen("1")] as readonly ReturnType<typeof seen>[];
    const told = ["2", "1", "2", "1", "3"].map((number) => {
      const decision = see({ baseImages }, { [nodeText]: digest(number) });
      baseImages = (decision?.changes.baseImages ?? baseImages) as typeof baseImages;
      return decision?.transitions.length;
    });
    expect(told).toEqual([1, 1, 0, 0, 1]);
  });

  it("remember the last ten digests that were told", () => {
    const told = ["a", "b", "c", "d", "e", "f", "1", "2", "3", "4"];
    const decision = see({ baseImages: [seen("4", told)] }, { [nodeText]: digest("5") });
    expect(decision?.changes.baseImages).toEqual([seen("5", [...told.slice(1), "5"])]);
  });

  it("that the annotations no longer name are forgotten", () => {
    expect(see({ baseImages: [seen("1")] }, {}, [])).toEqual({
      changes: { baseImages: undefined },
      transitions: [],
    });
  });

  it("wake the gates again if their version takes the place of a vote", () => {
    const vote = { person: "ada" } as never;
    expect(see({ effects: { vote } }, { [nodeText]: digest("1") })?.changes).toMatchObject({ needsEvaluation: true });
  });
});
