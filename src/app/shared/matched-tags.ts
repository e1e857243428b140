import { type CandidateTag, filterOf, nameOf, type SelectionRule } from "#domain/policy/policy";
import { type FilteredTag, filterSteps, filterTag, noFilter } from "#domain/policy/tag-filter";
import type { Spending } from "#ports/spending";

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
  { turn }: Pick<Spending, "turn">,
  { perSelection, atOnce } = matchingLimits,
): Promise<Rule | undefined> {
  const filter = filterOf(rule);
  const names = tags.map(nameOf);
  const perCharacter = filterSteps(filter, "");
  if (perCharacter === 0) return rule;
  const characters = names.reduce((sum, name) => sum + name.length + 1, 0);
  if (characters * perCharacter > perSelection) return undefined;
  const found = new Map<string, FilteredTag>();
  const match = (slice: readonly string[]): void => {
    for (const name of slice) found.set(name, filterTag(filter, name));
  };
  // Many short matches in a row also take a long time.
  if (characters * perCharacter <= withoutTurn) match(names);
  else for (const slice of slicesOf(names, (name) => filterSteps(filter, name), atOnce)) await turn(() => match(slice));
  return { ...rule, filter: { ...(rule.filter ?? noFilter), found } };
}

/** Splits names into slices of at most so many steps. A longer name has its own slice. */
function slicesOf(
  names: readonly string[],
  stepsOf: (name: string) => number,
  most: number,
): readonly (readonly string[])[] {
  const slices: string[][] = [];
  let steps = Infinity;
  for (const name of names) {
    const own = stepsOf(name);
    steps += own;
    if (steps > most) {
      slices.push([name]);
      steps = own;
    } else slices.at(-1)?.push(name);
  }
  return slices;
}
