import { expect, it } from "vitest";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { matchAhead, matchingLimits } from "#app/shared/matched-tags";
import { parseSettings } from "#domain/settings/settings";
import { selectTag } from "#domain/policy/policy";
import { sharesOfProcess } from "#runtime/shares";

const { spending } = sharesOfProcess([]).begin(new AbortController().signal);

/** Costs a millisecond for each of these tags. */
const slowPattern = "(a?){98}a{98}$";
const manyTags = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${"a".repeat(97)}b${index}`);

async function ruleOf(annotations: Readonly<Record<string, string>>) {
  const containers = [{ list: "containers", name: "api", image: "registry.test/shop/api:1.0.0" }] as const;
  const compile = await loadPatternCompiler();
  const settings = parseSettings({ "lookout.dev/enabled": "true", ...annotations }, containers, compile);
  const rule = settings.containers["api"];
  if (rule === undefined) throw new Error("the container is not tracked");
  return { rule, problems: settings.problems };
}

it("rejects a pattern that would take seconds, before it matches a tag", async () => {
  const { rule } = await ruleOf({ "lookout.dev/tag-pattern": slowPattern });
  let matches = 0;
  const patterns = rule.filter?.patterns.map((pattern) => ({
    ...pattern,
    match: (tag: string) => ((matches += 1), pattern.match(tag)),
  }));
  const counted = { ...rule, filter: { include: [], exclude: [], patterns: patterns ?? [] } };
  expect(await matchAhead(counted, manyTags(15_000), spending)).toBeUndefined();
  expect(matches).toBe(0);
  expect(await matchAhead(counted, manyTags(20), spending)).toBeDefined();
  expect(matches).toBe(20);
});

it("lets other work run between slices of a slow pattern", async () => {
  const { rule } = await ruleOf({ "lookout.dev/tag-pattern": slowPattern });
  let [sinceTurn, longest, turns] = [0, 0, 0];
  const tick = (): void => {
    [sinceTurn, turns] = [0, turns + 1];
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const patterns = rule.filter?.patterns.map((pattern) => ({
    ...pattern,
    match: (tag: string) => {
      sinceTurn += pattern.steps * (tag.length + 1);
      longest = Math.max(longest, sinceTurn);
      return pattern.match(tag);
    },
  }));
  await matchAhead(
    { ...rule, filter: { include: [], exclude: [], patterns: patterns ?? [] } },
    manyTags(500),
    spending,
  );
  clearImmediate(ticking);
  expect(longest).toBeLessThanOrEqual(matchingLimits.atOnce);
  expect(turns).toBeGreaterThan(50);
});

it("matches no tag a second time when it selects", async () => {
  const { rule } = await ruleOf({ "lookout.dev/policy": "regex", "lookout.dev/tag-pattern": "^v(.*)$" });
  const ahead = await matchAhead(rule, ["v1", "v2", "w3"], spending);
  const mute = {
    ...ahead!,
    policy: { ...ahead!.policy, pattern: { text: "", groupNames: [], steps: 1, match: () => undefined } },
  };
  const tags = [
    { name: "v2", movedAt: 2 },
    { name: "w3", movedAt: 3 },
  ] as never;
  expect(selectTag(mute as typeof rule, { tag: "v1" }, tags)).toEqual(selectTag(rule, { tag: "v1" }, tags));
});

it("selects an ordinary pattern among 10,000 tags within the budget", async () => {
  const { rule } = await ruleOf({ "lookout.dev/tag-pattern": String.raw`^main-[a-f0-9]{7,40}-(?P<ts>\d+)$` });
  const tags = Array.from({ length: 10_000 }, (_, index) => `main-0a1b2c3d4e-${1_700_000_000 + index}`);
  expect(await matchAhead(rule, tags, spending)).toBeDefined();
});

it("takes at most 100 globs", async () => {
  const globs = Array.from({ length: 3_000 }, (_, index) => `*x${index}`).join(",");
  const { problems } = await ruleOf({ "lookout.dev/include-tags": globs });
  expect(problems).toMatchObject([{ closes: true, message: "3000 globs, and at most 100 are allowed" }]);
});

it("compiles at most 50 patterns of one workload", async () => {
  const containers = Array.from({ length: 60 }, (_, index) => {
    return { list: "containers", name: `c${index}`, image: "registry.test/shop/api:1.0.0" } as const;
  });
  const patterns = containers.map(({ name }) => [`lookout.dev/container.${name}.tag-pattern`, `^${name}`] as const);
  const { problems } = parseSettings(Object.fromEntries(patterns), containers, await loadPatternCompiler());
  expect(problems).toHaveLength(10);
  expect(problems[0]).toMatchObject({ closes: true, message: "more than 50 patterns in one workload" });
});

it("stops a slow pattern at the next turn after its evaluation was cancelled", async () => {
  const { rule } = await ruleOf({ "lookout.dev/tag-pattern": slowPattern });
  const cancelled = new AbortController();
  let matches = 0;
  const patterns = rule.filter?.patterns.map((pattern) => ({
    ...pattern,
    match: (tag: string) => {
      matches += 1;
      if (matches === 20) cancelled.abort(new Error("cancelled"));
      return pattern.match(tag);
    },
  }));
  const counted = { ...rule, filter: { include: [], exclude: [], patterns: patterns ?? [] } };
  const own = sharesOfProcess([]).begin(cancelled.signal);

  await expect(matchAhead(counted, manyTags(1_000), own.spending)).rejects.toThrow("cancelled");
  expect(matches).toBeLessThan(40);
});
