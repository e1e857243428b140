import { parseGlob, type TagGlob } from "../policy/tag-glob.ts";
import { noFilter, type TagFilter } from "../policy/tag-filter.ts";
import { ok, problem, type Result } from "../result.ts";
import { mapProblem, oneOf, readBoolean, type ReadValue } from "./setting-values.ts";
import type { TagPolicy } from "../tag-policy.ts";
import { parseRange } from "../version.ts";

/** What the annotations ask of a container's tags. */
export interface PolicySettings {
  readonly policy: TagPolicy;
  /** Which tags are candidates, whatever the policy. Absent: any. */
  readonly filter?: TagFilter;
  /** All of it as a person writes it: `semver >=1 <2, exclude *-debug`. */
  readonly policyText: string;
}

const kinds = ["semver", "digest", "alphabetical", "numerical"] as const;
/** The policies that annotations may name. */
export type PolicyKind = (typeof kinds)[number];

/** Reads the name of a policy. */
export const readPolicyKind: ReadValue<PolicyKind> = oneOf("policy", kinds, ["latest", "regex"]);

/** Reads a setting of the container, or else of the workload; undefined where there is none, or none that can be read. */
export type ReadSetting = <Value>(setting: string, parse: ReadValue<Value>) => Value | undefined;

/** Reads a policy and its limits. Each is read whatever the policy, so that none that can't be read is passed over. */
export function readPolicySettings(read: ReadSetting, kind: PolicyKind): PolicySettings {
  const range = read("semver-range", (text) => mapProblem(parseRange(text)));
  const allowPrerelease = read("allow-prerelease", readBoolean) ?? false;
  const include = read("include-tags", readGlobs) ?? [];
  const exclude = read("exclude-tags", readGlobs) ?? [];
  const limits = [
    ...(kind === "semver" && range !== undefined ? [`${kind} ${range.text}`] : [kind]),
    ...textOf("include", include),
    ...textOf("exclude", exclude),
  ];
  return {
    policy: policyOf(kind, { allowPrerelease, ...(range === undefined ? {} : { range }) }),
    policyText: limits.join(", "),
    ...(include.length + exclude.length === 0 ? {} : { filter: { ...noFilter, include, exclude } }),
  };
}

function policyOf(kind: PolicyKind, versions: Omit<Extract<TagPolicy, { kind: "semver" }>, "kind">): TagPolicy {
  switch (kind) {
    case "semver":
      return { kind, ...versions };
    case "alphabetical":
    case "numerical":
      return { kind, order: "asc" };
    case "digest":
      return { kind };
  }
}

/** Globs by commas. A list that names none would exclude nothing, or include nothing: a slip. */
function readGlobs(text: string): Result<readonly TagGlob[], string> {
  const globs: TagGlob[] = [];
  for (const written of text.split(",").map((part) => part.trim())) {
    if (written === "") continue;
    const glob = parseGlob(written);
    if (!glob.ok) return problem(glob.problem.message);
    globs.push(glob.value);
  }
  return globs.length === 0 ? problem("expected globs by commas, such as *-debug,v1.*") : ok(globs);
}

function textOf(word: string, globs: readonly TagGlob[]): readonly string[] {
  return globs.length === 0 ? [] : [`${word} ${globs.map(({ text }) => text).join(" ")}`];
}
