import { type CandidateTag, filterOf, nameOf, type SelectionRule } from "#domain/policy/policy";
import { type FilteredTag, filterSteps, filterTag, noFilter } from "#domain/policy/tag-filter";
import type { Patterns } from "#ports/patterns";

/**
 * The largest number of matching steps for one selection, and for work without a break. 100 million
 * steps take one or two seconds.
 */
export const matchingLimits = { perSelection: 100_000_000, atOnce: 250_000 };

/** A match with at most this number of steps does not wait for its turn. */
const withoutTurn = 10_000;

/**
 * Returns a rule with the matches of its patterns and globs in these tags; undefined when the
 * matching exceeds the limit.
 *
 * Other work runs between slices, so that a slow pattern delays no other workload.
 */
export async function matchAhead<Rule extends SelectionRule>(
  rule: Rule,
  tags: readonly CandidateTag[],
  turn: Patterns["turn"],
  { perSelection, atOnce } = matchingLimits,
): Promise<Rule | undefined> {
  const filter = filterOf(rule);
  const names = tags.map(nameOf);
  const perCharacter = filterSteps(filter, "");
  if (perCharacter === 0) return rule;
  const characters = names.reduce((sum, name) => sum + name.length + 1, 0);
  if (characters * perCharacter > perSelection) return undefined;
  const found = new Map<string, FilteredTag>();
  // Many short matches in a row also take a long time.
  let steps = characters * perCharacter > withoutTurn ? atOnce : 0;
  for (const name of names) {
    steps += filterSteps(filter, name);
    if (steps > atOnce) {
      await turn();
      steps = filterSteps(filter, name);
    }
    found.set(name, filterTag(filter, name));
  }
  return { ...rule, filter: { ...(rule.filter ?? noFilter), found } };
}
