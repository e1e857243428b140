import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { secretsIn } from "#contracts/config/secrets";

const scan = { name: "scan", address: "https://scan.example.com/check" };
const problems = (checks: unknown, more: object = {}) => {
  const parsed = parseConfiguration({ ...more, checks });
  return parsed.ok ? [] : parsed.problem.map(({ path, message }) => `${path} ${message}`);
};

describe("checks of lookout.yaml", () => {
  it("need a name and an address, and have defaults", () => {
    const parsed = parseConfiguration({ checks: [scan, { ...scan, name: "smoke", when: "bake", secretEnv: "KEY" }] });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem));

    const defaults = { when: "release", timeout: 10_000, namespaces: [] };
    expect(parsed.value.checks).toEqual([
      { ...scan, ...defaults },
      { ...scan, ...defaults, name: "smoke", when: "bake", secretEnv: "KEY" },
    ]);
    expect(secretsIn(parsed.value)).toEqual([
      { field: expect.objectContaining({ reach: "checks" }) as object, owner: "smoke", ref: { variable: "KEY" } },
    ]);
  });

  it.each([
    [{ ...scan, address: "http://scan.example.com" }, "checks[0].address expected an https:// address"],
    [{ ...scan, address: "https://scan.example.com/?token=1" }, "checks[0].address expected an https:// address"],
    [{ ...scan, address: undefined }, "checks[0].address is missing"],
    [{ ...scan, name: "Image Scan" }, "checks[0].name expected a name of at most 63"],
    [{ ...scan, when: "after" }, "checks[0].when expected release or bake"],
    [{ ...scan, timeout: "26s" }, "checks[0].timeout expected 1s to 25s"],
    [{ ...scan, timeout: "0s" }, "checks[0].timeout expected 1s to 25s"],
    [{ ...scan, namespaces: ["Shop"] }, "checks[0].namespaces[0] expected"],
    [{ ...scan, allowNetworks: ["10.0.0.1"] }, "checks[0].allowNetworks[0] expected a network"],
    [{ ...scan, secretEnv: "KEY", secretFile: "key" }, "checks[0].secretFile the secret has one place"],
    [{ ...scan, secretFile: "whsec_abc" }, "checks[0].secretFile looks like the secret itself"],
    [{ ...scan, url: "https://x" }, "checks[0].url is not a known key here"],
  ])("%j is refused: %s", (entry, message) => {
    expect(problems([entry])).toEqual([expect.stringContaining(message) as string]);
  });

  it("have unique names, and are at most 20", () => {
    expect(problems([scan, scan])).toEqual(["checks[1].name is already the name of entry [0] of this list"]);
    const many = Array.from({ length: 21 }, (_, index) => ({ ...scan, name: `c${index}` }));
    expect(problems(many)).toEqual(["checks expected at most 20 checks"]);
  });

  it("name only namespaces that Lookout tracks", () => {
    const clusters = [{ name: "prod", namespaces: { allow: ["shop"] } }];
    expect(problems([{ ...scan, namespaces: ["shop", "shpo", "stage/shop"] }], { clusters })).toEqual([
      "checks[0].namespaces[1] is no namespace that Lookout tracks; namespaces.allow has shop",
      "checks[0].namespaces[2] is in no cluster of this file; its clusters are prod",
    ]);
  });
});
