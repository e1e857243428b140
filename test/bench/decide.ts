import { parseArgs } from "node:util";
import semver from "semver";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { parseImageReference } from "#domain/image-reference";
import { afterPush } from "#domain/standing";
import {
  type CandidateTag,
  electFrom,
  type ElectionRule,
  electTag,
  standingOf,
  type TagPolicy,
} from "#domain/tag-policy";
import { epochMs } from "#domain/time";
import { parseRange } from "#domain/version";
import { readWindow, windowState } from "#domain/window";
import { evilPatterns, fodderOf } from "./evil-patterns.ts";
import { type Row, rowOf, spreadOf, tableOf } from "./figures.ts";
import { measureFirstCalls } from "./first-call.ts";
import { mixedRange, mixedTags } from "./mixed-tags.ts";
import { conditionsOf, writePage } from "./page.ts";

const help = `Measures what deciding takes, without any network.

  --rounds N     measurements of each thing, one of each in turn, 41
  --note TEXT    what else is to be said of the machine
  --write        puts the figures into docs/benchmarks.md`;

const many = 10_000;
const current = { tag: "v1.2.0" };
const compile = await loadPatternCompiler();

function ruleOf(policy: TagPolicy): ElectionRule {
  return { policy, allowDowngrade: false };
}

function rangeRule(): ElectionRule {
  const range = parseRange(mixedRange);
  if (!range.ok) throw new Error(range.problem.message);
  return ruleOf({ kind: "semver", range: range.value, allowPrerelease: false });
}

function regexRule(): ElectionRule {
  const pattern = compile("^v[0-9]+[.]");
  if (!pattern.ok) throw new Error(pattern.problem.message);
  return ruleOf({ kind: "regex", pattern: pattern.value });
}

/** Milliseconds for one of so many runs. */
function timed(runs: number, run: (number: number) => unknown): number {
  const start = performance.now();
  for (let number = 0; number < runs; number += 1) run(number);
  return (performance.now() - start) / runs;
}

function manyTags(rounds: number): readonly Row[] {
  const tags = [...mixedTags(many)];
  const rule = rangeRule();
  const elected = electTag(rule, current, tags);
  if (elected.kind !== "elected" || elected.tag !== semver.maxSatisfying(tags, mixedRange))
    throw new Error("they don't elect the same");
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(timed(3, () => electTag(rule, current, tags)));
    theirs.push(timed(1, () => semver.maxSatisfying(tags, mixedRange)));
  }
  return [
    rowOf("electing among 10,000 tags", ours),
    rowOf("semver.maxSatisfying of the same", theirs),
    rowOf("ratio of the medians", [spreadOf(ours).median / spreadOf(theirs).median], "×"),
  ];
}

function firstCall(rounds: number): readonly Row[] {
  const { lookout, semver: theirs } = measureFirstCalls(Math.ceil(rounds / 4), many);
  return [
    rowOf("first election in a process, with the import", lookout),
    rowOf("first semver.maxSatisfying, with the import", theirs),
    rowOf("ratio of the medians", [spreadOf(lookout).median / spreadOf(theirs).median], "×"),
  ];
}

/** Looks at the memory of the process at every thousandth tag. */
function streamed(): Row {
  const rule = rangeRule();
  const start = process.memoryUsage().rss;
  let most = start;
  const watched = function* (): Generator<string> {
    let number = 0;
    for (const tag of mixedTags(10 * many)) {
      number += 1;
      if (number % 1_000 === 0) most = Math.max(most, process.memoryUsage().rss);
      yield tag;
    }
  };
  electTag(rule, current, watched());
  return rowOf("growth while 100,000 tags stream by", [(most - start) / 2 ** 20], "MB");
}

function onePush(rounds: number): readonly Row[] {
  const policies = {
    semver: rangeRule(),
    latest: ruleOf({ kind: "latest" }),
    regex: regexRule(),
    alphabetical: ruleOf({ kind: "alphabetical", order: "asc" }),
    numerical: ruleOf({ kind: "numerical", order: "asc" }),
    digest: ruleOf({ kind: "digest" }),
  };
  return Object.entries(policies).map(([kind, rule]) => {
    const tags: CandidateTag[] = [...mixedTags(100)].map((name, number) => ({ name, movedAt: epochMs(number) }));
    const standing = standingOf(rule, current, tags);
    const push = (number: number): unknown => {
      const next = afterPush(rule, current, standing, {
        name: `v3.${number % 50}.1`,
        movedAt: epochMs(1_000 + number),
      });
      return next.kind === "standing" ? electFrom(rule, current, next.standing) : next;
    };
    timed(5_000, push);
    return rowOf(
      `electing by one push: ${kind}`,
      Array.from({ length: rounds }, () => timed(500, push) * 1_000),
      "µs",
    );
  });
}

const references = [
  "nginx",
  "nginx:1.27.3-alpine",
  "ghcr.io/owner/app:v1.2.3",
  "123456789012.dkr.ecr.eu-central-1.amazonaws.com/team/app:main-9f2c1ab",
  `registry.example.com:5000/a/b/c@sha256:${"0123456789abcdef".repeat(4)}`,
];

function oneReference(rounds: number): Row {
  const parse = (number: number): unknown => parseImageReference(references[number % references.length] ?? "");
  timed(20_000, parse);
  return rowOf(
    "parsing an image reference",
    Array.from({ length: rounds }, () => timed(5_000, parse) * 1_000),
    "µs",
  );
}

/** Each hour of a year is asked about, with the next opening or closing in the answer. */
function oneWindow(rounds: number): readonly Row[] {
  const forms = {
    "days and times": readWindow({ days: ["Sat", "Sun"], start: "22:00", end: "02:00", timeZone: "Europe/Berlin" }),
    cron: readWindow({ cron: "0 22 * * 1-5", duration: "4h", timeZone: "Europe/Berlin" }),
    "cron, once in four years": readWindow({ cron: "0 22 29 2 *", duration: "4h", timeZone: "Europe/Berlin" }),
  };
  return Object.entries(forms).map(([form, window]) => {
    if (!window.ok) throw new Error(window.problem.message);
    const windows = [window.value];
    const check = (number: number): unknown => windowState(windows, epochMs(1_800_000_000_000 + number * 3_600_000));
    timed(8_760, check);
    return rowOf(
      `checking a window of ${form}`,
      Array.from({ length: rounds }, () => timed(1_000, check) * 1_000),
      "µs",
    );
  });
}

/** The first match builds what later ones use, so the first of a pattern that is compiled anew is what is measured: the middle of five. */
function evil(): Row {
  const times = evilPatterns.map((one) => {
    const first = (): number => {
      const pattern = compile(one.pattern);
      if (!pattern.ok) throw new Error(pattern.problem.message);
      return timed(1, () => pattern.value.match(fodderOf(one)));
    };
    return spreadOf([first(), first(), first(), first(), first()]).median;
  });
  return rowOf("a pattern that blows up elsewhere, on 128 characters", times);
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "41" },
    note: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});

if (values.help === true) console.log(help);
else {
  const rounds = Math.max(1, Number(values.rounds));
  const conditions = conditionsOf(values.note);
  // Before anything else has filled the memory.
  const growth = streamed();
  const rows = [
    ...manyTags(rounds),
    ...firstCall(rounds),
    growth,
    ...onePush(rounds),
    oneReference(rounds),
    ...oneWindow(rounds),
    evil(),
  ];
  const table = `${conditions}\n\n${tableOf(rows)}`;
  console.log(table);
  if (values.write === true) await writePage({ decisions: table });
}
