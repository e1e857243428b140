import { imageNameOf, parseImageReference } from "../image/reference.ts";
import type { CompilePattern } from "../policy/tag-pattern.ts";
import { briefJson, isObject } from "../shared/json.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { printableText } from "../shared/shown-text.ts";
import type { Declared, DefinitionFault, DefinitionObject, FaultReason } from "./definition.ts";
import { type BuiltInTarget, targetKinds } from "./target.ts";

/** The usual interval of an ImagePolicy, in minutes, and its limits. */
const interval = { usual: 60, shortest: 1, longest: 7 * 24 * 60 };
const longestPattern = 128;
const notRead = "is read by one of the next syncs, because many patterns changed at once";
/** The most characters of an image in a definition. */
export const longestImage = 1_024;

/**
 * Returns what an ImagePolicy declares. A wrong field closes its target, and says which field is wrong.
 *
 * @param compile - compiles the patterns of tags. Absent: too many patterns are new, and a later sync reads this one.
 */
export function declaredByPolicy(object: DefinitionObject, cluster: string, compile?: CompilePattern): Declared {
  const { kind, namespace, name, uid, createdAt, generation } = object;
  const spec = isObject(object.spec) ? object.spec : {};
  const target = targetOf(spec, namespace);
  const repository = repositoryOf(spec);
  const settings = settingsOf(spec, compile);
  const minutes = intervalOf(spec);
  const fault = [target, repository, settings, minutes].find((read) => !read.ok);
  const declared = {
    ...{ kind, cluster, namespace, name, uid, createdAt, generation },
    ...(target.ok ? { target: target.value } : {}),
  };
  if (fault?.ok === false) return { ...declared, settings: {}, fault: fault.problem };
  if (!repository.ok || !settings.ok || !minutes.ok) throw new Error("a part of an ImagePolicy has a fault");
  return {
    ...declared,
    imageName: repository.value,
    settings: settings.value,
    interval: `${String(minutes.value)}m`,
  };
}

type Read<Value> = Result<Value, DefinitionFault>;
type Spec = Readonly<Record<string, unknown>>;

function faulty(reason: FaultReason, place: string, message: string): Read<never> {
  return problem({ reason, place: `spec.${place}`, message });
}

function targetOf({ updateTarget }: Spec, ownNamespace: string): Read<BuiltInTarget> {
  const { kind, name, namespace } = isObject(updateTarget) ? updateTarget : {};
  const known = targetKinds.find((one) => one === kind);
  if (known === undefined)
    return faulty("InvalidTarget", "updateTarget.kind", `${shown(kind)}: expected ${targetKinds.join(", ")}`);
  if (typeof name !== "string" || !/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(name))
    return faulty("InvalidTarget", "updateTarget.name", `${shown(name)}: expected the name of a ${known}`);
  if (namespace !== ownNamespace) {
    const expected = `expected ${ownNamespace}: a policy updates workloads of its own namespace only`;
    return faulty("OtherNamespace", "updateTarget.namespace", `${shown(namespace)}: ${expected}`);
  }
  return ok({ kind: known, name });
}

function repositoryOf({ repository }: Spec): Read<string> {
  const read =
    typeof repository === "string" && repository.length <= longestImage ? parseImageReference(repository) : undefined;
  const isName = read?.ok === true && read.value.tag === undefined && read.value.digest === undefined;
  if (isName) return ok(imageNameOf(read.value));
  const expected = "expected a repository without a tag, such as registry.example.com/shop/api";
  return faulty("InvalidRepository", "repository", `${shown(repository)}: ${expected}`);
}

/** Returns the settings of the matching containers. */
function settingsOf({ tagPolicy }: Spec, compile: CompilePattern | undefined): Read<Declared["settings"]> {
  const { strategy, pattern } = isObject(tagPolicy) ? tagPolicy : {};
  const matching = pattern === undefined ? ok(undefined) : patternOf(pattern, compile);
  if (!matching.ok) return matching;
  const filter = matching.value === undefined ? {} : { "tag-pattern": matching.value };
  switch (strategy) {
    case "SemVer":
      return ok({ policy: "semver", ...filter });
    case "Latest":
      // The strategy follows the tag of this name, whatever the container runs.
      return ok({ policy: "alphabetical", "include-tags": "latest", "allow-downgrade": "true" });
    case "Regex":
      if (matching.value !== undefined) return ok({ policy: "regex", ...filter, order: "alphabetical" });
      return faulty("InvalidPattern", "tagPolicy.pattern", "is missing: expected a regular expression of whole tags");
    default:
      return faulty("InvalidStrategy", "tagPolicy.strategy", `${shown(strategy)}: expected SemVer, Latest or Regex`);
  }
}

/** Returns a pattern that matches whole tags, as the strategy Regex does. */
function patternOf(pattern: unknown, compile: CompilePattern | undefined): Read<string> {
  const place = "tagPolicy.pattern";
  if (typeof pattern !== "string" || pattern.length > longestPattern)
    return faulty("InvalidPattern", place, `expected a regular expression of at most ${longestPattern} characters`);
  const whole = `^(?:${pattern})$`;
  if (compile === undefined) return faulty("PatternNotRead", place, `${shown(pattern)}: ${notRead}`);
  const compiled = compile(whole);
  return compiled.ok ? ok(whole) : faulty("InvalidPattern", place, `${shown(pattern)}: ${compiled.problem.message}`);
}

/** Returns whether an ImagePolicy has a pattern. */
export function hasPattern({ spec }: DefinitionObject): boolean {
  return isObject(spec) && isObject(spec["tagPolicy"]) && spec["tagPolicy"]["pattern"] !== undefined;
}

/** Returns whether the pattern of a policy was left to a later sync. */
export function isPutOff({ fault }: Pick<Declared, "fault">): boolean {
  return fault?.reason === "PatternNotRead";
}

function intervalOf({ pollIntervalMinutes: minutes = interval.usual }: Spec): Read<number> {
  const fits = Number.isInteger(minutes) && Number(minutes) >= interval.shortest && Number(minutes) <= interval.longest;
  if (fits) return ok(Number(minutes));
  const expected = `expected whole minutes from ${String(interval.shortest)} to ${String(interval.longest)}`;
  return faulty("InvalidInterval", "pollIntervalMinutes", `${shown(minutes)}: ${expected}`);
}

function shown(value: unknown): string {
  if (value === undefined) return "is missing";
  return printableText(briefJson(value));
}
