import { describe, expect, it } from "vitest";
import { gateSettings } from "#domain/gates/index";
import { parseSettings } from "#domain/settings/settings";
import { durationMs, minutes } from "#domain/shared/time";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const parse = (settings: Record<string, string>) => parseSettings(annotated(settings), [app]);
const day = 86_400_000;

describe("the settings of gates", () => {
  it("are written for JSON and for people, in one order", () => {
    const { gates } = parse({
      reapply: "after 90m",
      "min-age": "12h",
      platforms: "linux/amd64,linux/arm64",
      checks: "image-scan, smoke",
      tier: "canary",
      "tier-group": "web",
      "halt-on-failure": "no",
      "max-severity": "low",
      "signed-by": "ana@example.com,ben@example.com",
    });

    expect(gateSettings.map(({ label, format }) => [label, format(gates)])).toEqual([
      ["after a manifest is applied again", { json: "after 1h30m", text: "after 1h30m" }],
      ["minimum age", { json: "12h", text: "12h" }],
      ["platforms", { json: ["linux/amd64", "linux/arm64"], text: "linux/amd64, linux/arm64" }],
      ["tier", { json: "canary", text: "canary" }],
      ["checks", { json: ["image-scan", "smoke"], text: "image-scan, smoke" }],
      ["tier group", { json: "web", text: "web" }],
      ["halt on failure", { json: false, text: "false" }],
      ["scan", { json: "low", text: "findings up to low" }],
      ["signature", { json: ["ana@example.com", "ben@example.com"], text: "by ana@example.com or ben@example.com" }],
    ]);
  });

  it("have the default of lookout.yaml, unless the workload sets another value", () => {
    const defaults = { semver: "any", reapply: { kind: "ask" } } as const;
    const gates = (settings: Record<string, string>) =>
      parseSettings(annotated(settings), [app], undefined, defaults).gates;

    expect([gates({}), gates({ reapply: "after 5m" })]).toEqual([
      { reapply: { kind: "ask" } },
      { reapply: { kind: "after", time: minutes(5) } },
    ]);
  });

  it("have no text where the workload does not set them", () => {
    expect(gateSettings.map(({ format }) => format(parse({}).gates))).toEqual(gateSettings.map(() => undefined));
  });
});

describe("settings of gates that this version lacks", () => {
  it.each([
    [{ "max-severity": "low" }, { "max-severity": "low" }],
    [{ "signed-by": "release@example.com" }, { "signed-by": ["release@example.com"] }],
  ])("are parsed, and close updates: %j", (settings, gates) => {
    const read = parse(settings);

    expect(read.gates).toStrictEqual(gates);
    expect(read.problems).toEqual(
      Object.entries(settings)
        .map(([key, value]) => ({
          key: `lookout.dev/${key}`,
          value,
          message: "is not supported by this version of Lookout",
          closes: true,
        }))
        .sort((one, other) => (one.key < other.key ? -1 : 1)),
    );
  });

  it.each([
    ...["linux/amd64", "linux/arm64", "linux/arm64/v8", "linux/arm", "linux/arm/v5", "linux/arm/v6", "linux/arm/v7"],
    ...["linux/arm/v8", "linux/386", "linux/ppc64le", "linux/riscv64", "linux/s390x", "windows/amd64", "windows/arm64"],
  ])("may be the platform %s", (platform) => {
    expect(parse({ platforms: platform }).gates).toEqual({ platforms: [platform] });
  });

  it.each(["none", "low", "medium", "high", "critical"])("may be the severity %s", (severity) => {
    expect(parse({ "max-severity": severity }).gates).toEqual({ "max-severity": severity });
  });

  it.each([
    [{ "min-age": "0" }, { "min-age": 0 }],
    [{ "min-age": "2d" }, { "min-age": durationMs(2 * day) }],
    [{ platforms: "linux/amd64, linux/arm64" }, { platforms: ["linux/amd64", "linux/arm64"] }],
    [{ platforms: " linux/arm64/v8 , windows/amd64 " }, { platforms: ["linux/arm64/v8", "windows/amd64"] }],
    [{ checks: " smoke,image-scan " }, { checks: ["smoke", "image-scan"] }],
    [{ "min-age": "90d" }, { "min-age": durationMs(90 * day) }],
  ])("close nothing if their gate exists, or they ask for nothing: %j", (settings, gates) => {
    const read = parse(settings);

    expect([read.gates, read.problems]).toEqual([gates, []]);
  });

  it.each([
    ["min-age", "1 week", "not a duration"],
    ["min-age", "2161h", "expected at most 90d"],
    ["platforms", "linux/amd46", "linux/amd46: not a platform"],
    ["platforms", " , ", "expected platforms, separated by commas"],
    ["platforms", "xlinux/amd64", "xlinux/amd64: not a platform"],
    ["platforms", "windows/arm64/v8", "windows/arm64/v8: not a platform"],
    ["platforms", "linux/arm/v4", "linux/arm/v4: not a platform"],
    ["platforms", "linux/arm/v9", "linux/arm/v9: not a platform"],
    ["platforms", "plan9/amd64", "plan9/amd64: not a platform"],
    ["platforms", "linux/amd64,windows/386", "windows/386: not a platform"],
    ["checks", " , ", "expected at most 20 names of checks"],
    ["checks", "Image Scan", "expected at most 20 names of checks"],
    ["checks", Array.from({ length: 21 }, (_, index) => `c${index}`).join(), "expected at most 20 names of checks"],
    ["tier", "-first", "expected a name of letters"],
    ["tier", "last-", "expected a name of letters"],
    ["tier", "x".repeat(64), "expected a name of letters"],
    ["max-severity", "severe", "expected one of none, low, medium, high, critical"],
    ["signed-by", "", "expected signers, separated by commas"],
    ["registry", "Not A Name", "expected the name of a registry"],
    ["repository", "shop/api:1.2", "expected the path of a repository"],
    ["repository", "Shop", "expected the path of a repository"],
    ["repository", `shop/api@sha256:${"0".repeat(64)}`, "expected the path of a repository"],
    ["registry", "a.b/ecr", "expected the name of a registry"],
    ["registry", "a/b/ecr", "expected the name of a registry"],
    ["registry", "-a/ecr", "expected the name of a registry"],
    ["registry", "lookout-system/", "expected the name of a registry"],
    ["registry", "a-/ecr", "expected the name of a registry"],
    ["registry", `${"a".repeat(64)}/ecr`, "expected the name of a registry"],
  ])("close updates when they are invalid: %s %j", (key, value, message) => {
    expect(parse({ [key]: value }).problems).toEqual([
      { key: `lookout.dev/${key}`, value, message: expect.stringContaining(message) as string, closes: true },
    ]);
  });

  it("close updates when they contradict each other", () => {
    const { problems } = parse({ "approval-required": "false", approvals: "2" });

    expect(problems.map(({ message }) => message)).toEqual(["contradicts lookout.dev/approval-required"]);
  });

  it.each([
    ["e", "e"],
    [" ecr.eu-1 ", "ecr.eu-1"],
    ["lookout-system/production", "production"],
    ["registry.example:5000", "registry.example:5000"],
    [`${"a".repeat(63)}/${"e".repeat(253)}`, "e".repeat(253)],
  ])("names a registry of lookout.yaml: %j is %s", (registry, name) => {
    const { problems, containers } = parse({ registry });

    expect(problems).toEqual([]);
    expect(containers.app?.registry).toBe(name);
  });

  it.each(["library/nginx", " nginx "])("may name the repository of the image: %j", (repository) => {
    expect(parse({ repository }).problems).toEqual([]);
  });

  it("close updates if a container names another repository", () => {
    const { problems, containers } = parse({ "container.app.repository": "shop/api" });

    expect(problems).toEqual([
      {
        key: "lookout.dev/container.app.repository",
        value: "shop/api",
        message: "is not the repository of the image, which Lookout never changes",
        closes: true,
      },
    ]);
    expect(containers.app?.filter?.patterns).toHaveLength(1);
  });
});

describe("unused settings", () => {
  const told = (settings: Record<string, string>) =>
    parse(settings).problems.map(({ value, message, closes }) => ({ value, message, closes }));

  it.each([
    ["container.app.interval", "5m", ""],
    ["previous-image", "", ""],
  ])("are reported, and close nothing: %s %j", (key, value, complaint) => {
    expect(told({ [key]: value })).toEqual([
      { value, message: `${complaint}is not used by this version of Lookout`, closes: false },
    ]);
  });

  it.each([
    { text: "5m", interval: minutes(5), message: undefined },
    { text: "30s", interval: minutes(1), message: "is shorter than 1m: Lookout uses 1m" },
    {
      text: "5",
      interval: undefined,
      message:
        'not a duration: "5" has no unit (expected for example 10m, 1h30m or 2d); Lookout uses the default interval',
    },
    {
      text: "0s",
      interval: undefined,
      message: "expected a duration above zero, such as 10m; Lookout uses the default interval",
    },
  ])("have an interval of $interval ms for $text, and close nothing", ({ text, interval, message }) => {
    expect(parse({ interval: text }).interval).toBe(interval);
    expect(told({ interval: text })).toEqual(message === undefined ? [] : [{ value: text, message, closes: false }]);
  });

  it("name channels, and an address or a wrong name is a notice", () => {
    const names = "expected at most 10 names of channels of lookout.yaml: lookout channel list";
    const address = "expected the name of a channel of lookout.yaml, not an address: lookout channel list";
    const said = (value: string) => told({ "notify-slack": value }).map(({ message, closes }) => [message, closes]);
    expect(["releases", "#releases, ops"].map(said)).toEqual([[], []]);
    expect(["", "Releases", "a b", "a,".repeat(11)].map(said)).toEqual([
      [[names, false]],
      [[names, false]],
      [[names, false]],
      [[names, false]],
    ]);
    expect(["https://example.com", "hooks.example.com/T0"].map(said)).toEqual([[[address, false]], [[address, false]]]);
  });

  it("are reported without the secret in an address", () => {
    expect(told({ "notify-webhook": "https://hooks.example.com/T0/B1/token" })).toEqual([
      {
        value: "https://hooks.example.com/…",
        message: "expected the name of a channel of lookout.yaml, not an address: lookout channel list",
        closes: false,
      },
    ]);
    expect(told({ "notify-webhook": "http://hooks.example.com/T0" })).toMatchObject([
      { value: "http://hooks.example.com/…" },
    ]);
    expect(told({ "notify-slack": "https://user:token@hooks.example.com" })).toMatchObject([
      { value: "https://hooks.example.com/…" },
    ]);
  });
});

describe("settings that no container uses", () => {
  it.each([
    [{ "container.app.enabled": "false", "container.app.policy": "digst" }, "container.app.policy"],
    [{ "semver-range": "><", "container.app.semver-range": "1" }, "semver-range"],
    [{ "tag-pattern": "(", "container.app.tag-pattern": "a", "container.app.enabled": "false" }, "tag-pattern"],
  ])("close updates when they are invalid: %j", (settings, key) => {
    expect(
      parse(settings)
        .problems.filter(({ closes }) => closes)
        .map((problem) => problem.key),
    ).toContain(`lookout.dev/${key}`);
  });

  it.each([
    [
      "policy",
      "digst",
      "expected one of semver, latest, digest, regex, alphabetical, numerical, pinned, service-image; did you mean digest?",
    ],
    ["semver-range", "><", "not a range"],
    ["allow-prerelease", "ja", "expected true or false"],
    ["include-tags", "[", "not a glob"],
    ["exclude-tags", "[", "not a glob"],
    ["tag-pattern", "v", "patterns can't be compiled here"],
    ["filter-extract", "$", "not a template"],
    ["order", "desc", "expected one of newest, alphabetical, numerical"],
    ["apply", "force", "expected one of pin, tag, restart"],
    ["strategy", "both", "expected one of tag, digest, tag+digest"],
    ["allow-downgrade", "ja", "expected true or false"],
    ["registry", "Not A Name", "expected the name of a registry"],
    ["repository", "Shop", "expected the path of a repository"],
  ])("close updates for an untracked container: %s %s", (setting, value, message) => {
    const key = `container.app.${setting}`;

    expect(parse({ "container.app.enabled": "false", [key]: value }).problems).toEqual([
      { key: `lookout.dev/${key}`, value, message: expect.stringContaining(message) as string, closes: true },
    ]);
  });

  it("are no problem when they are valid", () => {
    const settings = { "container.app.enabled": "false", "container.app.policy": "regex", order: "newest" };

    expect(parse(settings).problems).toEqual([]);
  });
});
