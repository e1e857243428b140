import { propose } from "../update/decisions.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedGates, askGates } from "#domain/gates/index";
import { noticeOnly } from "#domain/annotations/notices";
import { keysOfOtherVersions, workloadKeys } from "#domain/settings/setting-keys";
import { isEnabled, parseSettings, settingAnnotations } from "#domain/settings/settings";
import { minutes, seconds } from "#domain/shared/time";
import { aChange, aContainer, annotated, anObserved, aRecord, noon, openFacts } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const migrate = { list: "initContainers", name: "migrate", image: "shop/migrate:1.0.0" } as const;
const parse = (settings: Record<string, string>, containers: Parameters<typeof parseSettings>[1] = [app]) =>
  parseSettings(annotated(settings), containers);

describe("settings of a workload", () => {
  it("have defaults when only lookout.dev/enabled is set", () => {
    const settings = parse({});

    expect(settings).toEqual({
      enabled: true,
      suspended: false,
      windows: [],
      autoRollback: true,
      rollbackTimeout: minutes(10),
      pullGrace: seconds(60),
      allowDeclaredSource: false,
      together: false,
      approval: { required: 0 },
      gates: {},
      unreadable: [],
      isWhole: true,
      containers: {
        app: {
          policy: { kind: "semver", allowPrerelease: false },
          policyText: "semver",
          apply: "pin",
          strategy: "tag+digest",
          allowDowngrade: false,
        },
      },
      problems: [],
    });
  });

  it("take the written values", () => {
    const settings = parse({
      suspend: " yes ",
      "auto-rollback": " off ",
      "rollback-timeout": " 90s ",
      "pull-grace": " 5m ",
      "allow-declared-source": "true",
      "maintenance-window": "22:00-23:00",
      "maintenance-days": "Sat",
      policy: " digest ",
      apply: "restart",
      strategy: "digest",
      "allow-downgrade": "1",
    });

    expect(settings).toMatchObject({
      suspended: true,
      autoRollback: false,
      rollbackTimeout: seconds(90),
      pullGrace: minutes(5),
      allowDeclaredSource: true,
      containers: {
        app: {
          policy: { kind: "digest" },
          policyText: "digest",
          apply: "restart",
          strategy: "digest",
          allowDowngrade: true,
        },
      },
      problems: [],
    });
    expect(settings.windows).toHaveLength(1);
  });

  it.each(["1s", "168h", "7d"])("allow %s for a rollout", (timeout) => {
    expect(parse({ "rollback-timeout": timeout }).problems).toEqual([]);
  });

  it("of a container win over the workload's", () => {
    const settings = parse(
      {
        "semver-range": ">=1 <2",
        apply: "tag",
        "container.app.semver-range": "~1.27",
        "container.app.apply": "pin",
        "container.side.policy": "digest",
      },
      [app, { ...app, name: "side" }, { ...app, name: "third" }],
    );

    expect(settings.problems).toEqual([]);
    expect(
      Object.entries(settings.containers).map(([name, { policyText, apply }]) => [name, policyText, apply]),
    ).toEqual([
      ["app", "semver ~1.27", "pin"],
      ["side", "digest", "tag"],
      ["third", "semver >=1 <2", "tag"],
    ]);
  });

  it("exclude init containers that are not enabled, and disabled containers", () => {
    const names = (settings: Record<string, string>) => Object.keys(parse(settings, [app, migrate]).containers);

    expect(names({})).toEqual(["app"]);
    expect(names({ "initContainer.migrate.enabled": "true" })).toEqual(["app", "migrate"]);
    expect(names({ "container.app.enabled": "false" })).toEqual([]);
  });

  it("of a container named like a member of JavaScript objects are empty", () => {
    const settings = parseSettings(annotated({}), [{ ...migrate, name: "constructor" }]);

    expect(settings.containers.constructor).toBeUndefined();
  });

  it("ignore Lookout's own annotations", () => {
    const annotations = {
      "lookout.dev/status.last-update": "x",
      "other.dev/policy": "digest",
      "lookout.dev/policy": "digest",
      "lookout.dev/suspend": "true",
      "lookout.dev/apply": "tag",
    };

    expect(Object.entries(settingAnnotations(annotations))).toEqual([
      ["lookout.dev/apply", "tag"],
      ["lookout.dev/policy", "digest"],
      ["lookout.dev/suspend", "true"],
    ]);
  });
});

describe("tracking", () => {
  it.each([
    { value: undefined, enabled: false, because: "nothing is written" },
    { value: "true", enabled: true, because: "it says true" },
    { value: " YES ", enabled: true, because: "case and space do not matter" },
    { value: "1", enabled: true, because: "1 is true" },
    { value: "false", enabled: false, because: "it says false" },
    { value: "off", enabled: false, because: "off is false" },
    { value: "treu", enabled: true, because: "what can't be understood is tracked, and is closed" },
    { value: "", enabled: true, because: "an empty text can't be understood" },
  ])("is $enabled, because $because", ({ value, enabled }) => {
    expect(isEnabled(value === undefined ? {} : { "lookout.dev/enabled": value })).toBe(enabled);
  });
});

describe("a problem in the settings", () => {
  const rows = [
    { key: "enabled", value: "treu", says: "expected true or false" },
    { key: "suspend", value: "maybe", says: "expected true or false" },
    { key: "suspend", value: "", says: "expected true or false" },
    { key: "suspend", value: "untrue", says: "expected true or false" },
    { key: "suspend", value: "true or not", says: "expected true or false" },
    { key: "suspend", value: "on off", says: "expected true or false" },
    { key: "suspend", value: "no way", says: "expected true or false" },
    { key: "auto-rollback", value: "2", says: "expected true or false" },
    { key: "allow-downgrade", value: "ja", says: "expected true or false" },
    { key: "allow-prerelease", value: "truee", says: "expected true or false" },
    { key: "allow-declared-source", value: "x", says: "expected true or false" },
    { key: "rollback-timeout", value: "10", says: "has no unit" },
    { key: "rollback-timeout", value: "0s", says: "above zero" },
    { key: "rollback-timeout", value: "-5m", says: "negative" },
    { key: "rollback-timeout", value: "1ns", says: "expected 1s to 7d, such as 10m" },
    { key: "rollback-timeout", value: "999ms", says: "expected 1s to 7d, such as 10m" },
    { key: "rollback-timeout", value: "168h1ms", says: "expected 1s to 7d, such as 10m" },
    { key: "pull-grace", value: "2d", says: "expected 1s to 1h, such as 60s" },
    { key: "pull-grace", value: "1h1ms", says: "expected 1s to 1h, such as 60s" },
    { key: "pull-grace", value: "999ms", says: "expected 1s to 1h, such as 60s" },
    { key: "pull-grace", value: "60", says: "expected 1s to 1h, such as 60s" },
    { key: "pull-grace", value: "-1m", says: "expected 1s to 1h, such as 60s" },
    { key: "rollback-timeout", value: "99999h", says: "expected 1s to 7d, such as 10m" },
    {
      key: "policy",
      value: "semvr",
      says: "expected one of semver, latest, digest, regex, alphabetical, numerical, pinned, service-image",
    },
    { key: "include-tags", value: "v1.*,[", says: "not a glob (character 1: the bracket is never closed)" },
    { key: "exclude-tags", value: " , ", says: "expected globs, separated by commas" },
    { key: "container.app.exclude-tags", value: "{a,b}", says: "not a glob" },
    { key: "strategy", value: "both", says: "expected one of tag, digest, tag+digest" },
    { key: "apply", value: "force", says: "expected one of pin, tag, restart" },
    { key: "semver-range", value: "not a range", says: "not a range" },
    { key: "maintenance-window", value: "at night", says: "" },
    { key: "maintenance-window", value: "", says: "" },
    { key: "maintenance-days", value: "Sat", says: "needs lookout.dev/maintenance-window" },
    { key: "maintenance-tz", value: "Europe/Berlin", says: "needs lookout.dev/maintenance-window" },
    { key: "approval-required", value: "maybe", says: "expected true or false" },
    { key: "container.app.min-age", value: "1h", says: "but of the workload: lookout.dev/min-age" },
    { key: "suspended", value: "true", says: "did you mean suspend?" },
    { key: "Suspend", value: "true", says: "did you mean suspend?" },
    { key: "", value: "true", says: "is not a setting" },
    { key: "container.app", value: "digest", says: "is not a setting" },
    { key: "container.app.", value: "digest", says: "is not a setting of a container" },
    { key: "a.container.app.policy", value: "digest", says: "is not a setting" },
    { key: "container.app.side.policy", value: "digest", says: "names no container of this workload" },
    { key: "container.ap.policy", value: "digest", says: "names no container of this workload" },
    { key: "initContainer.app.policy", value: "digest", says: "but a container: container.app" },
    { key: "container.app.containers", value: "[]", says: "but of the workload: lookout.dev/containers" },
    { key: "container.app.suspend", value: "true", says: "not a setting of a container" },
    { key: "container.app.polcy", value: "digest", says: "did you mean policy?" },
    { key: "container.app.enabled", value: "nope", says: "expected true or false" },
    { key: "container.app.semver-range", value: "><", says: "not a range" },
  ];

  it.each(rows)('closes updates for $key: "$value"', ({ key, value, says }) => {
    const { problems } = parse({ [key]: value });

    expect(problems).toEqual([
      { key: `lookout.dev/${key}`, value, message: expect.stringContaining(says) as string, closes: true },
    ]);
  });

  it("closes updates for invalid days and zones beside a valid window", () => {
    const keys = (settings: Record<string, string>) =>
      parse({ "maintenance-window": "22:00-23:00", ...settings }).problems.map(({ key, closes }) => [key, closes]);

    expect(keys({ "maintenance-days": "Someday" })).toEqual([["lookout.dev/maintenance-days", true]]);
    expect(keys({ "maintenance-tz": "Mars/Olympus" })).toEqual([["lookout.dev/maintenance-tz", true]]);
    expect(keys({ "blackout-window": "12:00-13:00", "blackout-days": "Someday" })).toEqual([
      ["lookout.dev/blackout-days", true],
    ]);
  });

  it.each([
    { image: "shop/UPPER", says: "lower case" },
    { image: "my_host.example/app:1.0.0", says: "the registry of the image is not a host" },
  ])("closes updates for the image $image, unless its container is untracked", ({ image, says }) => {
    const broken = { ...app, name: "side", image };
    const message = expect.stringContaining(says) as string;

    expect(parse({}, [app, broken]).problems).toEqual([
      { key: "image of container side", value: image, message, closes: true },
    ]);
    expect(parse({}, [app, broken]).containers.side).toBeUndefined();
    expect(parse({ "container.side.enabled": "false" }, [app, broken]).problems).toEqual([]);
  });

  it("is only a notice for settings that limit nothing", () => {
    const said = (key: string) => parse({ [key]: "X" }).problems.map(({ closes }) => closes);

    expect(["interval", "notify-slack", "container.app.interval"].map(said)).toEqual([[false], [false], [false]]);
  });

  it("is reported once for each annotation, in the order of the keys", () => {
    const { problems } = parse(
      { suspend: "x", apply: "x", interval: "5s", "signed-by": "ana", "auto-rollback": "x", strategy: "x" },
      [app, { ...app, name: "side" }],
    );

    expect(problems.map(({ key }) => key)).toEqual(
      ["apply", "auto-rollback", "interval", "signed-by", "strategy", "suspend"].map((key) => `lookout.dev/${key}`),
    );
  });
});

describe("settings with any problem", () => {
  // "not at all" may be a name, and "1.x/y" an image.
  const known = [...workloadKeys, ...keysOfOtherVersions].filter((key) => !/^approve(d-by|d-image)?$/.test(key));
  const broken = fc.oneof(
    fc.tuple(fc.constantFrom(...known), fc.constantFrom("\u0000", "?!", "not at all", "1.x/y")),
    fc.tuple(
      fc.stringMatching(/^[a-z-]{1,12}$/).filter((key) => ![...known, ...noticeOnly.keys()].includes(key)),
      fc.constant("true"),
    ),
  );
  const sound = fc.dictionary(
    fc.constantFrom("allow-downgrade", "allow-prerelease", "allow-declared-source"),
    fc.constantFrom("true", "false"),
  );

  it("never release an update", () => {
    fc.assert(
      fc.property(broken, sound, ([key, value], others) => {
        const record = aRecord({ observed: anObserved({ annotations: annotated({ ...others, [key]: value }) }) });
        const settings = parseSettings(record.observed.annotations, record.observed.containers);
        const desiredImages = [{ kind: "change", change: aChange() }] as const;
        const next = propose(
          record,
          {
            desiredImages,
            settings,
            facts: openFacts,
            detectedAt: noon,
            source: "sync",
            allContainers: true,
          },
          noon,
        );

        expect(next?.active).toBeUndefined();
        expect(next?.pending?.waits.map(({ reason }) => reason)).toContain("problem-in-settings");
      }),
    );
  });

  it("close the gate with the annotation, its value and the fault", () => {
    const record = aRecord({ observed: anObserved({ annotations: annotated({ apply: "force" }) }) });
    const settings = parseSettings(record.observed.annotations, [aContainer()]);

    expect(closedGates(askGates({ now: noon, record, settings, seq: 1, changes: [], facts: openFacts }))).toEqual([
      { reason: "problem-in-settings", detail: 'lookout.dev/apply "force": expected one of pin, tag, restart' },
    ]);
  });
});

describe("too many settings", () => {
  const app = { list: "containers", name: "app", image: "registry.test/shop/api:1.0.0" } as const;

  it("are not counted exactly, and close the updates", () => {
    const annotations = settingAnnotations({ "lookout.dev/enabled": "true", "lookout.dev/policy": "x".repeat(33_000) });

    expect(annotations).toEqual({ "lookout.dev/enabled": "true", "lookout.dev/too-large": "33041" });
    expect(settingAnnotations(annotations)).toEqual(annotations);
    expect(parseSettings(annotations, [app]).problems).toEqual([
      {
        key: "lookout.dev/too-large",
        value: "33041",
        message: "characters are too many: Lookout reads at most 32768 in all settings of a workload",
        closes: true,
      },
    ]);
  });

  it("for too many containers track none, and close the updates", () => {
    const containers = Array.from({ length: 201 }, (_, index) => ({ ...app, name: `c${index}` }));
    const { problems, containers: tracked } = parseSettings({ "lookout.dev/enabled": "true" }, containers);

    expect(problems).toEqual([
      { key: "pod", value: "", message: "the pod has more than 200 containers", closes: true },
    ]);
    expect(Object.keys(tracked)).toEqual([]);
    expect(parseSettings({ "lookout.dev/enabled": "true" }, containers.slice(1)).problems).toEqual([]);
  });
});
