import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suffixRules } from "#domain/version/suffix";
import { compareVersions, parseVersion, type Version } from "#domain/version/version";
import { oftenTried } from "../../property-runs.ts";
import {
  compareByOracle,
  countersByOracle,
  flavourByOracle,
  formsByOracle,
  type OracleVersion,
  readByOracle,
  shapeByOracle,
} from "./suffix-oracle.ts";
import { anyNumbers, anyPiecedTag, anyPrefix, suffixesThatMeet } from "./tag-pieces.ts";

/** Two versions, as both parsers read them. */
interface ReadPair {
  readonly own: readonly [Version, Version];
  readonly oracle: readonly [OracleVersion, OracleVersion];
}

/** Two tags whose suffixes often have one shape. */
const anyPair = fc
  .tuple(suffixesThatMeet, anyPrefix, anyNumbers, fc.oneof(fc.constant(undefined), anyNumbers))
  .map(([[one, other], prefix, numbers, others]): readonly [string, string] => [
    `${prefix}${numbers}${one}`,
    `${prefix}${others ?? numbers}${other}`,
  ]);

/** Reads two tags with both parsers. Tags that are no versions end a run. */
function readPair(tags: readonly [string, string]): ReadPair {
  const [one, other] = tags.map((tag) => [parseVersion(tag), readByOracle(tag)] as const);
  fc.pre(one?.[0] !== undefined && other?.[0] !== undefined && one[1] !== undefined && other[1] !== undefined);
  return { own: [one[0], other[0]], oracle: [one[1], other[1]] };
}

const withoutTies = (order: number, [one, other]: readonly [Version, Version]): number =>
  compareVersions({ ...one, text: "" }, { ...other, text: "" }) === 0 ? 0 : Math.sign(order);

describe("the suffix of a tag", () => {
  it("makes the same tags versions as the rule's text does", () => {
    fc.assert(
      fc.property(anyPiecedTag, (tag) => {
        expect({ tag, isVersion: parseVersion(tag) !== undefined }).toEqual({
          tag,
          isVersion: readByOracle(tag) !== undefined,
        });
      }),
    );
  });

  it("has the numbers, pre-release and counters of the rule's text", () => {
    fc.assert(
      fc.property(anyPiecedTag, (tag) => {
        const [own, oracle] = [parseVersion(tag), readByOracle(tag)];
        fc.pre(own !== undefined && oracle !== undefined);

        expect(own.parts.map(BigInt)).toEqual(oracle.numbers);
        expect(own.prerelease.map(String)).toEqual(oracle.prerelease.map(String));
        expect(own.counters.map((digits) => BigInt(digits))).toEqual(countersByOracle(oracle));
        expect(own.forms).toHaveLength(formsByOracle(oracle).length);
      }),
    );
  });

  it("shares its shape, flavour and forms with the same tags as by the rule's text", () => {
    fc.assert(
      fc.property(anyPair, (tags) => {
        const { own, oracle } = readPair(tags);
        const same = (values: readonly (string | readonly string[])[]): boolean =>
          JSON.stringify(values[0]) === JSON.stringify(values[1]);

        expect({
          tags,
          shape: same(own.map(({ shape }) => shape)),
          flavour: same(own.map(({ flavour }) => flavour)),
          forms: same(own.map(({ forms }) => forms)),
        }).toEqual({
          tags,
          shape: same(oracle.map(shapeByOracle)),
          flavour: same(oracle.map(flavourByOracle)),
          forms: same(oracle.map(formsByOracle)),
        });
      }),
    );
  });

  it("orders versions as the rule's text does", () => {
    fc.assert(
      fc.property(anyPair, (tags) => {
        const { own, oracle } = readPair(tags);

        expect({ tags, order: withoutTies(compareVersions(...own), own) }).toEqual({
          tags,
          order: compareByOracle(...oracle),
        });
      }),
    );
  });

  it("gives a total order: antisymmetric, transitive, and zero only for one tag", () => {
    fc.assert(
      fc.property(fc.tuple(anyPair, anyPiecedTag), fc.constantFrom(...suffixRules), ([pair, third], rule) => {
        const versions = [...pair, third].flatMap((tag) => parseVersion(tag, rule) ?? []);
        const [a, b, c] = versions;
        fc.pre(a !== undefined && b !== undefined && c !== undefined);
        const [ab, bc, ac] = [compareVersions(a, b), compareVersions(b, c), compareVersions(a, c)];

        expect(Math.sign(ab) + Math.sign(compareVersions(b, a))).toBe(0);
        expect(ab === 0).toBe(a.text === b.text);
        if (ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0);
        if (ab >= 0 && bc >= 0) expect(ac).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("of any text is read or rejected without an exception, by each rule", () => {
    const anyCharacter = fc.constantFrom(...Array.from("0129v.-_rcalphRmTZg@#é \n"), "main", "ubuntu", "20240101");
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: anyCharacter, maxLength: 140 }));

    fc.assert(
      fc.property(anyText, fc.constantFrom("", "1", "1.2.3", "1.2.3-"), (text, front) => {
        for (const rule of suffixRules) {
          const tag = front + text;
          expect(parseVersion(tag, rule)?.text ?? tag).toBe(tag);
        }
      }),
      oftenTried,
    );
  });
});
