import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { durationMs, minutes } from "#domain/time";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const parse = (settings: Record<string, string>) => parseSettings(annotated(settings), [app]);
const day = 86_400_000;

describe("what is asked of gates that this version does not have", () => {
  it.each([
    [{ "approval-required": "true" }, { approval: { required: 1 } }],
    [{ approvals: "2" }, { approval: { required: 2 } }],
    [
      {
        "approval-required": "yes",
        approvals: "20",
        "approval-deadline": "90m",
        "approved-by": "ana",
        "approved-image": "1.4.2",
      },
      { approval: { required: 20, deadline: minutes(90), approvedBy: "ana", approvedImage: "1.4.2" } },
    ],
    [{ "min-age": "2d" }, { minAge: durationMs(2 * day) }],
    [{ platforms: "linux/amd64, linux/arm64" }, { platforms: ["linux/amd64", "linux/arm64"] }],
    [{ platforms: "linux/arm/v7" }, { platforms: ["linux/arm/v7"] }],
    [{ tier: "early-access" }, { tier: "early-access" }],
    [{ "max-severity": "medium" }, { maxSeverity: "medium" }],
    [{ "signed-by": "release@example.com" }, { signedBy: ["release@example.com"] }],
    [{ "rollback-to": "1.4.2" }, { rollbackTo: "1.4.2" }],
    [{ "approved-by": "ana" }, {}],
  ])("is read, and closes updates: %j", (settings, gates) => {
    const read = parse(settings);

    expect(read.gates).toEqual(gates);
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
    [{ "approval-required": "false" }, {}],
    [{ "min-age": "0" }, { minAge: 0 }],
    [{ "rollback-to": "previous" }, {}],
  ])("closes nothing where nothing is asked for: %j", (settings, gates) => {
    expect(parse(settings)).toMatchObject({ gates, problems: [] });
  });

  it.each([
    ["approval-required", "ja", "expected true or false"],
    ["approvals", "0", "expected a whole number from 1 to 20"],
    ["approvals", "21", "expected a whole number from 1 to 20"],
    ["approvals", "two", "expected a whole number from 1 to 20"],
    ["approval-deadline", "0s", "above zero"],
    ["approved-by", " ", "expected who agrees"],
    ["approved-image", "not an image", "expected a tag or an image"],
    ["min-age", "1 week", "not a duration"],
    ["platforms", "linux/amd46", "linux/amd46: not a platform"],
    ["platforms", " , ", "expected platforms by commas"],
    ["platforms", "plan9/amd64", "plan9/amd64: not a platform"],
    ["tier", "-first", "expected a name of letters"],
    ["tier", "x".repeat(64), "expected a name of letters"],
    ["max-severity", "severe", "expected one of none, low, medium, high, critical"],
    ["signed-by", "", "expected who signs"],
    ["rollback-to", "a b", "expected previous or a tag"],
    ["registry", "Not A Name", "expected the name of an ImageRegistry"],
    ["repository", "shop/api:1.2", "expected the path of a repository"],
    ["repository", "Shop", "expected the path of a repository"],
  ])("closes updates where it can't be read: %s %j", (key, value, message) => {
    expect(parse({ [key]: value }).problems).toEqual([
      { key: `lookout.dev/${key}`, value, message: expect.stringContaining(message) as string, closes: true },
    ]);
  });

  it("closes updates where it contradicts itself", () => {
    const { problems } = parse({ "approval-required": "false", approvals: "2" });

    expect(problems.map(({ message }) => message)).toEqual(["contradicts lookout.dev/approval-required"]);
  });

  it("closes updates where a container is to be looked for elsewhere", () => {
    const { problems, containers } = parse({ registry: "lookout-system/ecr", "container.app.repository": "shop/api" });

    expect(problems.map(({ key, message }) => [key, message])).toEqual(
      ["container.app.repository", "registry"].map((key) => [
        `lookout.dev/${key}`,
        "is not supported by this version of Lookout",
      ]),
    );
    expect(containers.app?.filter?.patterns).toHaveLength(1);
  });
});

describe("settings that no version uses yet", () => {
  const told = (settings: Record<string, string>) =>
    parse(settings).problems.map(({ value, message, closes }) => ({ value, message, closes }));

  it.each([
    ["interval", "5m", ""],
    ["interval", "5", '"5" has no unit (expected for example 10m, 1h30m or 2d); '],
    ["notify-slack", "#deployments", ""],
    ["notify-slack", "", "expected a channel or an address; "],
    ["notify-webhook", "nowhere", "expected an address, such as https://example.com/hook; "],
    ["previous-image", "", ""],
  ])("are told and close nothing: %s %j", (key, value, complaint) => {
    expect(told({ [key]: value })).toEqual([
      {
        value,
        message: expect.stringMatching(
          new RegExp(`${complaint.replaceAll(/[()]/g, "\\$&")}is not used by this version of Lookout$`),
        ) as string,
        closes: false,
      },
    ]);
  });

  it("are told without the secret in an address", () => {
    expect(told({ "notify-webhook": "https://hooks.example.com/T0/B1/token" })).toEqual([
      { value: "https://hooks.example.com/…", message: "is not used by this version of Lookout", closes: false },
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
  ])("close updates all the same where they can't be read: %j", (settings, key) => {
    expect(
      parse(settings)
        .problems.filter(({ closes }) => closes)
        .map((problem) => problem.key),
    ).toContain(`lookout.dev/${key}`);
  });

  it("are no problem where they can be read", () => {
    const settings = { "container.app.enabled": "false", "container.app.policy": "regex", order: "newest" };

    expect(parse(settings).problems).toEqual([]);
  });
});
