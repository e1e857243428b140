import type { WorkloadView } from "#contracts/api/workloads";
import { parseInstant } from "#domain/shared/time";
import type { Style } from "./style.ts";
import { clock } from "./time.ts";

type Unchecked = NonNullable<WorkloadView["unchecked"]>[number];

const registryWords: Readonly<Partial<Record<string, string>>> = {
  "registry-denied": "rejects the credential",
  "registry-not-allowed": "is not allowed by lookout.yaml",
  "registry-not-trusted": "has a certificate that can't be trusted",
  "registry-throttled": "allows no more requests",
  "registry-circuit-open": "gets no requests",
  "over-budget": "is not asked, because the namespace is over its budget",
};

/** Returns what is wrong with a registry, after its name: `can't be reached`. */
export function registryProblem(reason: string): string {
  return registryWords[reason] ?? "can't be reached";
}

/**
 * Returns a text for each registry that left a workload unchecked: `not checked since 10:56 CET:
 * registry registry.test can't be reached`.
 */
export function uncheckedTexts({ unchecked = [] }: Pick<WorkloadView, "unchecked">, style: Style): readonly string[] {
  return groupsOf(unchecked, style).map(([problem, containers]) => `${sinceText(containers, style)}: ${problem}`);
}

/** Returns {@link uncheckedTexts}, each with its cause and the time of the first failure. */
export function uncheckedCauses({ unchecked = [] }: Pick<WorkloadView, "unchecked">, style: Style): readonly string[] {
  return groupsOf(unchecked, style).map(([problem, containers]) => {
    const text = `${sinceText(containers, style)}: ${problem}`;
    const causes = containers.map(({ since, why: { detail = "" } }) =>
      detail === "" ? "" : `. Since ${clock(since, style, "second")}: ${detail}`,
    );
    return `${text}${causes[0] ?? ""}`;
  });
}

function groupsOf(unchecked: readonly Unchecked[], style: Style): readonly (readonly [string, readonly Unchecked[]])[] {
  return [...Map.groupBy(unchecked, (one) => problemOf(one, style))];
}

function problemOf({ registry, imageName, why }: Unchecked, style: Style): string {
  if (why.reason === "repository-not-found") return `${imageName} is not found`;
  const until = why.until === undefined ? "" : `, paused until ${clock(why.until, style)}`;
  return `registry ${registry} ${registryProblem(why.reason)}${until}`;
}

/** Returns the oldest check. A container that was never checked is older than any check. */
function sinceText(containers: readonly Unchecked[], style: Style): string {
  const times = containers.map(({ checkedAt }) => checkedAt);
  const [oldest] = times.toSorted((left, right) => instantOf(left) - instantOf(right));
  return oldest === undefined || times.includes(undefined)
    ? "not checked yet"
    : `not checked since ${clock(oldest, style)}`;
}

function instantOf(text: string | undefined): number {
  return (text === undefined ? undefined : parseInstant(text)) ?? 0;
}
