import * as z from "zod";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { durationMs, hours } from "#domain/shared/time";
import { tierNameForm, tierNamePattern } from "#domain/tiers/name";
import { namespaceProblems, type Reported } from "./budgets.ts";
import { durationWithin, listIn, namespacePattern, partsOf, unique } from "./fields.ts";

/** The most tiers. Each update reads all earlier ones. */
const mostTiers = 20;

const aShare = "a whole number from 1 to 99";

/** The schema of the name of a tier. */
export const tierName = z.string(tierNameForm).regex(tierNamePattern, tierNameForm);

const Tier = z
  .strictObject(
    {
      name: tierName.describe("The name of the tier, for lookout.dev/tier and labels."),
      percent: z
        .int(aShare)
        .min(1, aShare)
        .max(99, aShare)
        .exactOptional()
        .describe(
          "The share that this tier takes of the workloads of the next tier without percent, from 1 to 99. Workloads that name their tier stay there.",
        ),
      soak: durationWithin(durationMs(0), hours(30 * 24), "30m")
        .prefault("0s")
        .describe("The time for which all members must have run an image before the next tier gets it."),
      haltOnFailure: z
        .boolean("true or false")
        .prefault(true)
        .describe("false: an image that failed on some members goes on when the others ran it."),
      namespaces: z
        .array(namespacePattern, "a list of namespaces")
        .max(100, "at most 100 namespaces")
        .readonly()
        .prefault([])
        .describe("The namespaces of this tier: NAMESPACE or CLUSTER/NAMESPACE, such as dev/*."),
    },
    "a tier with a name",
  )
  .readonly();

/** The schema of `tiers`. */
export const Tiers = unique(Tier, "name", "a list of tiers").refine(
  (tiers) => tiers.length <= mostTiers,
  `at most ${String(mostTiers)} tiers`,
);

const aLabel = "the key of a label, such as example.com/tier";

/** The schema of the key of a label. */
export const labelKey = z
  .string(aLabel)
  .max(317, aLabel)
  .regex(/^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/, aLabel);

/** Returns the problems between `tiers` and the other parts of the file. */
export function tierProblems(file: Readonly<Record<string, unknown>>): readonly Reported[] {
  const tiers = listIn(file["tiers"]).map(partsOf);
  const names = tiers.map(({ name }) => String(name));
  return [
    ...shareProblems(tiers),
    ...repeatedPatterns(tiers),
    ...namespaceProblems("tiers")(file),
    ...listIn(file["clusters"]).flatMap((cluster, place) => {
      const { tier } = partsOf(cluster);
      if (typeof tier !== "string" || names.includes(tier)) return [];
      const message =
        names.length === 0
          ? "names a tier, and this file has no tiers"
          : `is no tier of this file; its tiers are ${names.join(", ")}${didYouMean(nearest(tier, names))}`;
      return [{ path: ["clusters", place, "tier"], message }];
    }),
    ...(file["tierLabel"] !== undefined && file["tierLabel"] === file["tierGroupLabel"]
      ? [{ path: ["tierGroupLabel"], message: "is also tierLabel, so each tier would be a group of its own" }]
      : []),
    ...names.flatMap((name, place) =>
      names.slice(0, place).some((other) => other !== name && other.toLowerCase() === name.toLowerCase())
        ? [{ path: ["tiers", place, "name"], message: "differs from another tier only in the case of its letters" }]
        : [],
    ),
    ...["tierLabel", "tierGroupLabel"].flatMap((key) =>
      file[key] !== undefined && tiers.length === 0
        ? [{ path: [key], message: "needs tiers, and this file has none" }]
        : [],
    ),
  ];
}

type Parts = Readonly<Record<string, unknown>>;

function shareProblems(tiers: readonly Parts[]): readonly Reported[] {
  let taken = 0;
  const sums = tiers.flatMap(({ percent }, place): readonly Reported[] => {
    const isShare = typeof percent === "number" && percent < 100;
    taken = isShare ? taken + percent : 0;
    if (taken < 100) return [];
    const message = `leaves nothing for the next tier: the shares before it sum to ${String(taken)}`;
    return [{ path: ["tiers", place, "percent"], message }];
  });
  if (tiers.at(-1)?.["percent"] === undefined) return sums;
  const message = "is a share of the next tier, and no tier comes after this one";
  return [...sums, { path: ["tiers", tiers.length - 1, "percent"], message }];
}

/** Returns a problem for each pattern that an earlier tier has too. */
function repeatedPatterns(tiers: readonly Parts[]): readonly Reported[] {
  const first = new Map<unknown, string>();
  return tiers.flatMap(({ name, namespaces }, place) =>
    listIn(namespaces).flatMap((pattern, index): readonly Reported[] => {
      const earlier = first.get(pattern);
      if (earlier === undefined) first.set(pattern, String(name));
      const path = ["tiers", place, "namespaces", index];
      return earlier === undefined ? [] : [{ path, message: `is already in tier ${earlier}` }];
    }),
  );
}
