import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";

const prod = { name: "prod", namespaces: { allow: ["shop"] } };

/** The path and message of each problem of a file. */
function problemsOf(file: object): readonly string[] {
  const parsed = parseConfiguration(file);
  return parsed.ok ? [] : parsed.problem.map(({ path, message }) => `${path}: ${message}`);
}

describe("an observation in lookout.yaml", () => {
  it.each([
    { mode: "observe" },
    { clusters: [{ name: "prod", mode: "observe" }] },
    { observe: ["shop-*", "prod/pay"] },
  ])("may be %o", (file) => {
    expect(parseConfiguration(file)).toMatchObject({ ok: true, value: file });
  });

  const expected = "expected observe; to let Lookout update, leave mode out";
  it.each([
    { file: { mode: "obsrve" }, says: `mode: ${expected}; did you mean observe?` },
    { file: { mode: "update" }, says: `mode: ${expected}` },
    { file: { mode: null }, says: `mode: ${expected}` },
    { file: { mode: true }, says: `mode: ${expected}` },
    {
      file: { clusters: [{ ...prod, mode: "Observe" }] },
      says: `clusters[0].mode: ${expected}; did you mean observe?`,
    },
    { file: { clusters: [{ ...prod, mode: null }] }, says: `clusters[0].mode: ${expected}` },
    { file: { observe: "shop" }, says: "observe: expected a list of namespaces" },
    {
      file: { clusters: [prod], observe: ["shpo"] },
      says: "observe[0]: is no namespace that Lookout tracks; namespaces.allow has shop",
    },
    {
      file: { clusters: [prod], observe: ["lab/shop"] },
      says: "observe[0]: is in no cluster of this file; its clusters are prod",
    },
  ])("is refused: $says", ({ file, says }) => {
    expect(problemsOf(file)).toEqual([says]);
  });
});
