import { readList, type ReadValue } from "../annotations/setting-values.ts";
import { subjectOf } from "../checks/answer.ts";
import { standingOf } from "../checks/facts.ts";
import { checksAt, checksOf, type CheckRule, type ChecksOfWorkload } from "../checks/rules.ts";
import type { Place } from "../workload/namespace-pattern.ts";
import { problem } from "../shared/result.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import { type AskGate, closed, type GatedSettings, open } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";
import { waitsForTier } from "./tier.ts";

const names = "at most 20 names of checks of lookout.yaml, separated by commas";

const readNames: ReadValue<readonly string[]> = (text) => {
  const read = readList(names)(text);
  const isName = (name: string): boolean => /^[a-z0-9-]{1,63}$/.test(name);
  return read.ok && (read.value.length > 20 || !read.value.every(isName)) ? problem(`expected ${names}`) : read;
};

/** The checks of a workload besides those of its namespace. */
export const checksSetting = gateSetting({
  key: "checks",
  isSupported: true,
  parse: readNames,
  label: "checks",
  toJson: (named) => named,
  toText: (named) => named.join(", "),
});

/** Returns the checks of a workload with these settings. */
export function checksIn(
  rules: readonly CheckRule[],
  place: Place,
  { gates }: Pick<GatedSettings, "gates">,
): ChecksOfWorkload {
  return checksOf(rules, place, checksSetting.valueIn(gates) ?? []);
}

/**
 * Holds an update until all checks of its workload allow its digests.
 *
 * `AskChecks` asks the checks and stores their answers. The gate only reads them, and an update is not
 * asked about again after its release.
 */
export const askChecks: AskGate = (question) => {
  const { now, record, settings, seq, changes } = question;
  const { checks: facts } = question.facts;
  const all = checksIn(facts.rules, record.workload, settings);
  const [unknown] = all.unknown;
  if (unknown !== undefined) return closed({ reason: "check-unknown", detail: unknownText(unknown, facts.rules) });
  const checks = checksAt("release", all);
  if (checks.length === 0) return open;
  const asked = checks.map(({ name }) => name).join(", ");
  if (changes.length === 0) return { kind: "open", detail: `asked about every update: ${asked}` };
  if (record.active?.seq === seq) return { kind: "open", detail: `asked before the release: ${asked}` };
  if (waitsForTier(question)) return { kind: "open", detail: `asked when the earlier tiers ran it: ${asked}` };
  const standing = standingOf(checks, subjectOf(changes), facts.answers, now);
  return standing.kind === "allowed" ? { kind: "open", detail: standing.detail } : closed(standing.wait);
};

function unknownText(name: string, rules: readonly CheckRule[]): string {
  const known = rules.map((rule) => rule.name);
  if (known.includes(name)) return `"${name}" is a check of other namespaces in lookout.yaml`;
  if (known.length === 0) return `"${name}", and lookout.yaml has no checks`;
  return `"${name}"${didYouMean(nearest(name, known))}; lookout.yaml has ${known.join(", ")}`;
}
