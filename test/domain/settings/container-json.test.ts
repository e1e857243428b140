import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

const long = "recommendations-for-returning-customers-of-shop";
const containers = [
  { list: "containers", name: long, image: "shop/recommendations:1.4.2" },
  { list: "containers", name: "side", image: "shop/side:1.0.0" },
  { list: "initContainers", name: "migrate", image: "shop/migrate:1.0.0" },
] as const;
const parse = (json: string, others: Record<string, string> = {}) =>
  parseSettings(annotated({ containers: json, ...others }), containers);
const policies = ({ containers: found }: ReturnType<typeof parse>) =>
  Object.entries(found).map(([name, { policyText, apply }]) => [name, policyText, apply]);

describe("settings of containers as JSON", () => {
  it("reach a container whose name is too long for a key", () => {
    expect(`container.${long}.exclude-tags`.length).toBeGreaterThan(63);

    const settings = parse(`{"${long}": {"semver-range": ">=1.4 <2", "exclude-tags": "*-debug"}}`);

    expect(settings.problems).toEqual([]);
    expect(policies(settings)).toEqual([
      [long, "semver >=1.4 <2, exclude *-debug", "pin"],
      ["side", "semver", "pin"],
    ]);
  });

  it("win over the workload's settings, and combine with settings in keys", () => {
    const settings = parse('{"side": {"policy": "digest"}}', { apply: "tag", "container.side.apply": "restart" });

    expect(settings.problems).toEqual([]);
    expect(policies(settings)).toEqual([
      [long, "semver", "tag"],
      ["side", "digest", "restart"],
    ]);
  });

  it("name init containers as keys do, and accept true and false without quotes", () => {
    const settings = parse('{"initContainer.migrate": {"enabled": true}, "side": {"enabled": false}}');

    expect(settings.problems).toEqual([]);
    expect(policies(settings).map(([name]) => name)).toEqual([long, "migrate"]);
  });

  it.each([
    '{"side": {"apply": "tag", "strategy": "tag"}}',
    `{"side": {"policy": "digest"}, "${long}": {"policy": "digest"}}`,
    '{"side": {"apply": "tag"}, "initContainer.migrate": {"enabled": true, "apply": "tag"}}',
  ])("may repeat a value of several containers: %s", (json) => {
    expect(parse(json).problems).toEqual([]);
  });

  it.each(["{}", '{"side": {}, "initContainer.migrate": {}}'])("may be empty: %s", (json) => {
    const settings = parse(json);

    expect(settings.problems).toEqual([]);
    expect(policies(settings)).toEqual([
      [long, "semver", "pin"],
      ["side", "semver", "pin"],
    ]);
  });
});

describe("invalid settings of containers as JSON", () => {
  it.each([
    ["", "", "not JSON: "],
    ["{side: {}}", "{side: {}}", "not JSON: "],
    ["[]", "[]", "expected an object, such as "],
    ["null", "null", "expected an object, such as "],
    ['"side"', '"side"', "expected an object, such as "],
    ['{"side": "digest"}', '"digest"', "side: expected settings, such as "],
    ['{"side": null}', "null", "side: expected settings, such as "],
    ['{"side": {"semver-range": 1.10}}', "1.1", "side.semver-range: expected a text in quotes, or true or false"],
    [
      '{"side": {"include-tags": ["v1", "v1"]}}',
      '["v1","v1"]',
      "side.include-tags: expected a text in quotes, or true or false",
    ],
    ['{"side": {"policy": "digst"}}', "digst", "side.policy: expected one of semver, "],
    ['{"side": {"semver-range": "><"}}', "><", "side.semver-range: not a range"],
    ['{"side": {"polcy": "digest"}}', "digest", "side.polcy: is not a setting of a container; did you mean policy?"],
    [
      '{"side": {"min-age": "1h"}}',
      "1h",
      "side.min-age: is not a setting of a container, but of the workload: lookout.dev/min-age",
    ],
    ['{"sid": {"policy": "digest"}}', "digest", "sid.policy: names no container of this workload"],
    ['{"sid": {}}', "{}", "sid: names no container of this workload; did you mean side?"],
    [
      '{"migrate": {}}',
      "{}",
      "migrate: names no container of this workload, but an init container: initContainer.migrate",
    ],
    ['{"initContainer.nope": {}}', "{}", "initContainer.nope: names no init container of this workload"],
    [
      '{"migrate": {"policy": "digest"}}',
      "digest",
      "migrate.policy: names no container of this workload, but an init container: initContainer.migrate",
    ],
    [
      '{"initContainer.side": {"policy": "digest"}}',
      "digest",
      "initContainer.side.policy: names no init container of this workload, but a container: container.side",
    ],
    [
      '{"side": {"repository": "shop/other"}}',
      "shop/other",
      "side.repository: is not the repository of the image, which Lookout never changes",
    ],
  ])("close updates for %s", (json, value, message) => {
    expect(parse(json).problems).toEqual([
      { key: "lookout.dev/containers", value, message: expect.stringContaining(message) as string, closes: true },
    ]);
  });

  it.each([
    ['{"side": {"policy": "digest"}, "side": {}}', "side: is written twice"],
    ['{"side": {"policy": "digest", "apply": "tag", "policy": "semver"}}', "side.policy: is written twice"],
    ['{"side": {"policy": "digest", "\\u0070olicy": "semver"}}', "side.policy: is written twice"],
    ['{"side": {"policy": "\\"}, \\"", "apply": "tag", "apply": "pin"}}', "side.apply: is written twice"],
    ['{"side": {"include-tags": ["v1", "v1"], "apply": "tag", "apply": "pin"}}', "side.apply: is written twice"],
    ['{"side": {"policy": {"a": [{"b": 1}, {"b": 1}], "c": {"b": 2, "b": 3}}}}', "side.policy.c.b: is written twice"],
  ])("close updates for a fault that JSON would ignore: %s", (json, message) => {
    expect(parse(json).problems).toEqual([{ key: "lookout.dev/containers", value: json, message, closes: true }]);
  });

  it("close updates for a setting that a key repeats", () => {
    const { problems } = parse('{"side": {"policy": "digest"}}', { "container.side.policy": "digest" });

    expect(problems).toEqual([
      {
        key: "lookout.dev/containers",
        value: "digest",
        message: "side.policy: repeats lookout.dev/container.side.policy: write the setting once",
        closes: true,
      },
    ]);
  });

  it.each(["[", '{"a":'])("close updates at any depth: %j", (begin) => {
    const end = begin === "[" ? "]" : "}";
    const deep = `${begin.repeat(50_000)}${begin === "[" ? "" : "1"}${end.repeat(50_000)}`;

    expect(parse(`{"side": ${deep}}`).problems.every(({ closes, value }) => closes && value.length < 20)).toBe(true);
    expect(parse(`{"side": {"policy": ${deep}}}`).problems).toHaveLength(1);
  });

  it("are reported one by one, and shortened for the screen", () => {
    const { problems } = parse(`{"side": {"policy": "${"x".repeat(30_000)}", "apply": "y"}}`);

    expect(problems.map(({ value, message }) => [value.length, message.split(":")[0]])).toEqual([
      [201, "side.policy"],
      [1, "side.apply"],
    ]);
  });

  it("select no tag for any container if their container is unknown", () => {
    const { containers: found } = parse('{"side": "digest"}');

    expect(Object.values(found).map(({ filter }) => filter?.patterns.map(({ match }) => match("1.0.0")))).toEqual([
      [undefined],
      [undefined],
    ]);
  });

  it("select no tag for their container", () => {
    const { side } = parse('{"side": {"semver-range": "><"}}').containers;

    expect(side?.filter?.patterns.map(({ match }) => match("1.0.0"))).toEqual([undefined]);
  });
});
