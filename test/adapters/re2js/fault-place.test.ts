import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { placeOfFault } from "#adapters/re2js/fault-place";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import "#test/property-runs";

let compile: CompilePattern;
beforeAll(async () => {
  compile = await loadPatternCompiler();
});

function refusal(text: string): string {
  const compiled = compile(text);
  return compiled.ok ? "taken" : compiled.problem.message;
}

/** Patterns with a fault, which character it is at, and what is wrong there. */
const faults = [
  ["(", 1, "missing closing )"],
  ["v(", 2, "missing closing )"],
  ["((a)", 1, "missing closing )"],
  ["(a)(b", 4, "missing closing )"],
  [String.raw`a\(b(c`, 5, "missing closing )"],
  ["[(](a", 4, "missing closing )"],
  ["[](](a", 5, "missing closing )"],
  ["[^](](a", 6, "missing closing )"],
  ["[[:alpha:](](b", 13, "missing closing )"],
  [String.raw`[\](](b`, 6, "missing closing )"],
  [String.raw`\Q(\E(a`, 6, "missing closing )"],
  ["(?P<n>a", 1, "missing closing )"],
  ["(?i)(?:a", 5, "missing closing )"],
  ["a)", 2, "unexpected )"],
  [")(", 1, "unexpected )"],
  ["(a|b))(", 6, "unexpected )"],
  ["[)]a)b)", 5, "unexpected )"],
  ["[a", 1, "missing closing ]"],
  ["x[^]", 2, "missing closing ]"],
  ["[a][a", 4, "missing closing ]"],
  ["[b-a]", 2, "invalid character class range"],
  ["[a-z][z-a]", 7, "invalid character class range"],
  ["[z-a][z-a]", 2, "invalid character class range"],
  ["[[:foo:]]", 2, "invalid character class range"],
  [String.raw`\pL\pX`, 4, "invalid character class range"],
  [String.raw`a\p{Foo}`, 2, "invalid character class range"],
  [String.raw`[a\P{Greek}\p{Klingon}]`, 12, "invalid character class range"],
  [String.raw`\p{L`, 1, "invalid character class range"],
  [String.raw`a\p`, 2, "invalid character class range"],
  ["*a", 1, "missing argument to repetition operator"],
  ["a|+", 3, "missing argument to repetition operator"],
  ["(?:{2})", 4, "missing argument to repetition operator"],
  ["a*b**", 4, "invalid nested repetition operator"],
  ["a++b", 2, "invalid nested repetition operator"],
  ["a{1}b{1}{2}", 6, "invalid nested repetition operator"],
  ["a{1000}b{1001}", 9, "invalid repeat count"],
  ["a{1,2}{2,1}", 7, "invalid repeat count"],
  ["(a{500}){3}", 9, "invalid repeat count"],
  [String.raw`\d\8`, 3, "RE2 has no backreferences"],
  [String.raw`\12\1`, 4, "RE2 has no backreferences"],
  [String.raw`\12\1a`, 4, "RE2 has no backreferences"],
  [String.raw`(a)\k<1>`, 4, "RE2 has no backreferences"],
  ["(?P<n>a)(?P=n)", 9, "RE2 has no backreferences"],
  [String.raw`\x41\x4`, 5, "invalid escape sequence"],
  [String.raw`\x{41}\x{4`, 7, "invalid escape sequence"],
  [String.raw`\x{110000}`, 1, "invalid escape sequence"],
  [String.raw`[\w-z\Z]`, 6, "invalid escape sequence"],
  [String.raw`a\Cb\C`, 2, "invalid escape sequence"],
  [String.raw`\\\u0041`, 3, "invalid escape sequence"],
  [String.raw`\d\ `.trimEnd(), 3, "trailing backslash at end of expression"],
  ["a(?=b)", 2, "RE2 has no lookaround"],
  ["a(?!b)", 2, "RE2 has no lookaround"],
  ["(?<n>a)(?<=b)", 8, "RE2 has no lookaround"],
  ["(?<n>a)(?<!b)(?<m>c)", 8, "RE2 has no lookaround"],
  ["(?i)(?x)a", 5, "invalid or unsupported Perl syntax"],
  ["(?:a)(?>a)", 6, "invalid or unsupported Perl syntax"],
  ["(?i", 1, "invalid or unsupported Perl syntax"],
  ["a(?P<>x)", 2, "invalid named capture"],
  ["(?P<a>x)(?P<a-b>x)", 9, "invalid named capture"],
  ["(?P<a>x)(?P<a", 9, "invalid named capture"],
  ["(?P<a>a)(?P<a>a)", 13, "duplicate capture group name"],
  ["(?P<a>x)(?<a>a)", 12, "duplicate capture group name"],
  ["😀[😀-a]", 3, "invalid character class range"],
  ["😀*😀**", 4, "invalid nested repetition operator"],
  [String.raw`😀\😀`, 2, "invalid escape sequence"],
  ["[😀](", 4, "missing closing )"],
] as const;

describe("an invalid pattern", () => {
  it.each(faults)("%s is shown with its fault at character %i: %s", (text, character, why) => {
    expect(refusal(text)).toBe(`"${text}": not a pattern (character ${character}: ${why})`);
  });

  it("is shown without a place if its fault has none", () => {
    const whole = { error: "expression too large", input: null };
    const elsewhere = { error: "invalid escape sequence", input: "\\z" };

    expect(placeOfFault("(a)*", whole, () => whole)).toBeUndefined();
    expect(placeOfFault("(a)*", elsewhere, () => elsewhere)).toBeUndefined();
  });

  it("is shown at its fault, whatever surrounds it", () => {
    const well = fc.constantFrom(
      ...["a", "(b)", "[)(]", "[[:alpha:]]", "(?:c|d)", "(?i)", "😀", "^", "(?P<ok>x)"],
      ...[
        String.raw`\12`,
        String.raw`\x41`,
        String.raw`\x{1F600}`,
        String.raw`\pL`,
        String.raw`\p{Greek}`,
        String.raw`\\`,
      ],
      ...[String.raw`\Q(**[\E`, String.raw`[\]\12-\x41b]`, "a{2}b"],
    );
    const broken = fc.constantFrom(
      ...[")", "[b-a]", "[[:foo:]]", "(?=", "(?!a)", "(?P<->x)", "(?P<>", "(|*)"],
      ...[
        String.raw`\1(`,
        String.raw`\x4)`,
        String.raw`\x{z`,
        String.raw`\pX`,
        String.raw`\p{Foo}`,
        String.raw`\C`,
        String.raw`\é`,
      ],
    );
    const parts = fc.array(well, { maxLength: 12 });
    fc.assert(
      fc.property(parts, broken, fc.array(fc.oneof(well, broken), { maxLength: 6 }), (before, fault, behind) => {
        const beginning = [...new Set(before)].join("");
        const within = fault === "(|*)" ? 2 : fault === "[b-a]" || fault === "[[:foo:]]" ? 1 : 0;
        const character = Array.from(beginning).length + within + 1;
        expect(refusal([beginning, fault, ...behind].join(""))).toContain(`not a pattern (character ${character}: `);
      }),
    );
  });
});
