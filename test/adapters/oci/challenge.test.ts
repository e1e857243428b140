import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseChallenges } from "#adapters/oci/challenge";

function read(header: string) {
  return parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
}

describe("a challenge", () => {
  it.each([
    {
      header: 'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:x:pull,push"',
      expected: [
        [
          "bearer",
          { realm: "https://auth.docker.io/token", service: "registry.docker.io", scope: "repository:x:pull,push" },
        ],
      ],
      because: "a comma in quotes separates nothing",
    },
    {
      header: 'Basic realm="a \\"b\\" \\\\c"',
      expected: [["basic", { realm: 'a "b" \\c' }]],
      because: "a backslash escapes",
    },
    {
      header: "BEARER Realm = x , Service = y",
      expected: [["bearer", { realm: "x", service: "y" }]],
      because: "case and blanks mean nothing",
    },
    {
      header: 'Negotiate, Basic realm="a", Bearer realm="b"',
      expected: [
        ["negotiate", {}],
        ["basic", { realm: "a" }],
        ["bearer", { realm: "b" }],
      ],
      because: "one header may hold several",
    },
    {
      header: 'Bearer realm="a",realm="b"',
      expected: [["bearer", { realm: "a" }]],
      because: "the first of two counts",
    },
    { header: 'Bearer realm=""', expected: [["bearer", { realm: "" }]], because: "a value may be empty" },
    {
      header: "Bearer realm=https://a/t?x=1,service=s",
      expected: [["bearer", { realm: "https://a/t?x=1", service: "s" }]],
      because: "quotes are left out by some",
    },
    {
      header: 'Basic realm="a", Bearer realm="b',
      expected: [["basic", { realm: "a" }]],
      because: "what is cut off is left out",
    },
    { header: 'realm="a"', expected: [], because: "a parameter needs a scheme" },
    { header: "", expected: [], because: "nothing is asked for" },
    { header: "{}", expected: [], because: "this is none" },
  ])("is parsed: $because", ({ header, expected }) => {
    expect(read(header)).toEqual(expected);
  });

  it("has the quoted values", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (realm, service) => {
        const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;

        const challenges = parseChallenges(`Bearer realm=${quote(realm)}, service=${quote(service)}`);

        expect(challenges.map(({ parameters }) => [...parameters])).toEqual([
          [
            ["realm", realm],
            ["service", service],
          ],
        ]);
      }),
    );
  });

  it("of any text is parsed or rejected", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', "\\", ",", "=", " ", "a", "Bearer ") }), (header) => {
        expect(Array.isArray(parseChallenges(header))).toBe(true);
      }),
    );
  });
});
