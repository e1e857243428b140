import * as z from "zod";
import { matchesName } from "#domain/workload/namespace-pattern";
import { listIn, namespacePattern, partsOf } from "./fields.ts";

/** Returns the schema of a maximum. 0 would stop the namespaces, which a freeze does and says. */
function maximum(most: number) {
  const expected = `a whole number from 1 to ${most}; to stop updates, use freezes`;
  return z.int(expected).min(1, expected).max(most, expected).exactOptional();
}

const Budget = z
  .strictObject(
    {
      namespaces: z
        .array(namespacePattern, "a list of namespaces")
        .min(1, "at least one namespace")
        .readonly()
        .describe("The namespaces with this budget, each its own: NAMESPACE or CLUSTER/NAMESPACE, such as team-*."),
      evaluations: maximum(250).describe("The evaluations of workloads at the same time."),
      requestsPerMinute: maximum(100_000).describe("The requests to registries per minute."),
      cpuSecondsPerMinute: maximum(60).describe(
        "The CPU time per minute for long lists of tags and slow patterns, in seconds.",
      ),
      memoryMiB: maximum(1_024).describe("The memory for tags and manifests at the same time, in MiB."),
    },
    "a budget with namespaces",
  )
  .refine(
    ({ namespaces: _, ...limits }) => Object.keys(limits).length > 0,
    "limits nothing: add evaluations, requestsPerMinute, cpuSecondsPerMinute or memoryMiB",
  )
  .readonly();

/** The schema of `budgets`. */
export const Budgets = z.array(Budget, "a list of budgets").readonly();

/** A problem of the file, with the path of its key. */
export type Reported = { readonly path: readonly (string | number)[]; readonly message: string };

/**
 * Returns a function that returns a problem for each pattern of a section that covers no namespace that Lookout may
 * track: a misspelt name would have no effect.
 *
 * @param section - a list of entries with `namespaces`.
 */
export function namespaceProblems(section: "budgets" | "checks" | "tiers") {
  return (file: Readonly<Record<string, unknown>>): readonly Reported[] => {
    const clusters = listIn(file["clusters"]).map(partsOf);
    if (clusters.length === 0) return [];
    return listIn(file[section]).flatMap((entry, index) =>
      listIn(partsOf(entry)["namespaces"]).flatMap((pattern, place) => {
        const message = typeof pattern === "string" ? whyUnknown(pattern, clusters) : undefined;
        return message === undefined ? [] : [{ path: [section, index, "namespaces", place], message }];
      }),
    );
  };
}

/** Returns a problem for each observed namespace that Lookout does not track: a misspelt name would be updated. */
export function observeProblems(file: Readonly<Record<string, unknown>>): readonly Reported[] {
  const clusters = listIn(file["clusters"]).map(partsOf);
  if (clusters.length === 0) return [];
  return listIn(file["observe"]).flatMap((pattern, place) => {
    const message = typeof pattern === "string" ? whyUnknown(pattern, clusters) : undefined;
    return message === undefined ? [] : [{ path: ["observe", place], message }];
  });
}

/** Returns why Lookout tracks no namespace that a pattern covers, or undefined if it may track one. */
function whyUnknown(pattern: string, clusters: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  const names = clusters.map(({ name }) => String(name));
  const slash = pattern.indexOf("/");
  const covered = clusters.filter(({ name }) => slash < 0 || matchesName(pattern.slice(0, slash), String(name)));
  if (covered.length === 0) return `is in no cluster of this file; its clusters are ${names.join(", ")}`;
  const rules = covered.map(({ namespaces }) => partsOf(namespaces));
  const allowed = rules.flatMap(({ allow }) => listIn(allow).map(String));
  // A cluster without a list has any namespace.
  if (rules.some(({ allow }) => allow === undefined)) return undefined;
  const own = pattern.slice(slash + 1);
  if (allowed.some((namespace) => matchesName(own, namespace))) return undefined;
  return `is no namespace that Lookout tracks; namespaces.allow has ${allowed.join(", ") || "none"}`;
}
