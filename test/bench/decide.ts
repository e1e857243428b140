import { parseArgs } from "node:util";
import semver from "semver";
import { type SelectionRule, selectTag, type TagPolicy } from "#domain/policy/policy";
import { parseRange } from "#domain/version/range";
import { writeSections } from "../../tools/page-sections.ts";
import { type Row, rowOf, spreadOf, tableOf } from "./figures.ts";
import { measureFirstCalls } from "./first-call.ts";
import { judges } from "./judges.ts";
import { mixedRange, mixedTags } from "./mixed-tags.ts";
import { conditionsOf } from "./conditions.ts";
import { evil, oneReference, oneWindow, oneWorkload } from "./readings.ts";
import { timed } from "./timed.ts";

const help = `Measures the time of a selection, without a network.

  --rounds N     rounds, with one measurement of each kind; default: 41
  --note TEXT    a remark about the machine
  --write        write the figures to docs/benchmarks.md`;

const many = 10_000;
const current = { tag: "v1.2.0" };

function ruleOf(policy: TagPolicy): SelectionRule {
  return { policy, allowDowngrade: false };
}

function rangeRule(): SelectionRule {
  const range = parseRange(mixedRange);
  if (!range.ok) throw new Error(range.problem.message);
  return ruleOf({ kind: "semver", range: range.value, allowPrerelease: false });
}

function manyTags(rounds: number): readonly Row[] {
  const tags = [...mixedTags(many)];
  const rule = rangeRule();
  const selected = selectTag(rule, current, tags);
  if (selected.kind !== "selected" || selected.tag !== semver.maxSatisfying(tags, mixedRange))
    throw new Error("the two programs select different tags");
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(timed(3, () => selectTag(rule, current, tags)));
    theirs.push(timed(1, () => semver.maxSatisfying(tags, mixedRange)));
  }
  return [
    rowOf("selecting among 10,000 tags", ours),
    rowOf("semver.maxSatisfying of the same", theirs),
    rowOf("selecting: ratio of the medians", [spreadOf(ours).median / spreadOf(theirs).median], "×"),
  ];
}

function firstCall(rounds: number): readonly Row[] {
  const { lookout, semver: theirs } = measureFirstCalls(Math.ceil(rounds / 2), many);
  return [
    rowOf("first selection in a process, with the import", lookout),
    rowOf("first semver.maxSatisfying, with the import", theirs),
    rowOf("first selection: ratio of the medians", [spreadOf(lookout).median / spreadOf(theirs).median], "×"),
    // Other programs sometimes slow a short process down, so the fastest runs are compared too.
    rowOf("first selection: ratio of the fastest", [spreadOf(lookout).min / spreadOf(theirs).min], "×"),
  ];
}

/**
 * Returns the growth of memory while tags are streamed. It reads the memory at every thousandth
 * tag.
 */
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
  selectTag(rule, current, watched());
  return rowOf("growth while 100,000 tags stream by", [(most - start) / 2 ** 20], "MB");
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
  // The streaming runs first, before other measurements fill the memory.
  const growth = streamed();
  const rows = [
    ...manyTags(rounds),
    ...firstCall(rounds),
    growth,
    oneReference(rounds),
    oneWorkload(rounds),
    ...oneWindow(rounds),
    evil(),
    ...(await judges(3)),
  ];
  const table = `${conditions}\n\n${tableOf(rows)}`;
  console.log(table);
  if (values.write === true) await writeSections("benchmarks.md", { decisions: table });
}
