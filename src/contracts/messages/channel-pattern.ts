import type { ImagePushed } from "#domain/image/push";
import { registryFactNames } from "#domain/registry/outage";
import { type ChannelFilter, followersOf, type NamespaceFilter, type ToldName } from "#domain/notify/filter";
import { isAtLeast, severities } from "#domain/notify/words";
import type { Deliver } from "#domain/update/commands";
import { type EventPattern, eventSource, type InputTransform, type PatternNode, type PatternRule } from "./events.ts";

/** The longest pattern of a rule. @see https://docs.aws.amazon.com/general/latest/gr/ev.html */
export const longestPattern = 2_048;

/** EventBridge refuses rules with too many wildcards, so a pattern of a namespace has at most these. */
const mostWildcards = 2;

type Conditions = Readonly<Record<string, PatternNode>>;

/** The facts without a workload. */
const withoutWorkload: readonly ToldName[] = [...registryFactNames, "PushDisputed"];

/**
 * Returns the pattern of the rule that sends facts to a channel. It matches each fact for which
 * `verdictOf` has a verdict. It matches a few more: the function that reads them ignores a namespace
 * that both `allow` and `deny` fit, and a namespace that fits only the start of a pattern with more than
 * {@link mostWildcards} wildcards.
 *
 * @param account - the account of the bus: other accounts may put events on it
 */
export function channelPattern(filter: ChannelFilter, name: string, account: string): EventPattern {
  const branches = branchesOf(filter, scopeOf(filter, name));
  const names = [...new Set(branches.flatMap(({ names }) => names))];
  const detail = detailOf(branches);
  return {
    source: [eventSource],
    "detail-type": names,
    account: [account],
    // EventBridge refuses an empty object.
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  };
}

/** Returns the message that a rule makes of a fact, for the queue of the command. */
export function deliverTransform(channel: string): InputTransform {
  const command: Readonly<Record<keyof Pick<Deliver, "name" | "channel">, string>> = { name: "Deliver", channel };
  // EventBridge puts an object in place of a variable without quotes.
  return { paths: { fact: "$.detail" }, template: `${JSON.stringify(command).slice(0, -1)},"fact":<fact>}` };
}

/** Facts of some names, with what else has to be true of them. */
interface Branch {
  readonly names: readonly Exclude<ToldName, ImagePushed["name"]>[];
  readonly also: Conditions;
}

function branchesOf({ form, names, minSeverity }: ChannelFilter, scope: Conditions): readonly Branch[] {
  const least = severities.filter((severity) => isAtLeast(severity, minSeverity));
  const severity: Conditions = least.length === severities.length ? {} : { severity: least };
  const about = (isOfWorkload: boolean) => names.filter((name) => withoutWorkload.includes(name) !== isOfWorkload);
  const all: readonly Branch[] =
    form === "facts"
      ? [
          { names: about(true), also: { ...severity, again: [{ exists: false }], ...scope } },
          { names: about(false), also: severity },
        ]
      : [
          { names: about(true), also: { ...severity, ...scope } },
          { names: followersOf(form), also: scope },
        ];
  return all.filter((branch) => branch.names.length > 0);
}

/** Returns what the details of all branches have in common, and what they differ in. */
function detailOf(branches: readonly Branch[]): Conditions {
  const [first, ...others] = branches;
  if (first === undefined) return {};
  if (others.every(({ also }) => isSame(also, first.also))) return first.also;
  const common = Object.entries(first.also).filter(([member, condition]) =>
    others.every(({ also }) => also[member] === condition),
  );
  const isCommon = (member: string) => common.some(([name]) => name === member);
  const parts = branches.map(({ names, also }) => ({
    name: names,
    ...Object.fromEntries(Object.entries(also).filter(([member]) => !isCommon(member))),
  }));
  return { ...Object.fromEntries(common), $or: parts };
}

function isSame(one: Conditions, other: Conditions): boolean {
  const members = Object.keys({ ...one, ...other });
  return members.every((member) => one[member] === other[member]);
}

/** Returns the conditions on the workload of a fact. */
function scopeOf({ clusters, namespaces, onlyNamed }: ChannelFilter, name: string): Conditions {
  const namespace = namespaces === undefined ? [] : rulesOf(namespaces);
  const workload: Conditions = {
    ...(clusters === undefined ? {} : { cluster: clusters }),
    ...(namespace.length === 0 ? {} : { namespace }),
  };
  return {
    ...(Object.keys(workload).length === 0 ? {} : { workload }),
    ...(onlyNamed === true ? { channels: [name] } : {}),
  };
}

/** Returns the rules of which a namespace has to fit one. An empty list means any namespace. */
function rulesOf({ allow, deny = [] }: NamespaceFilter): readonly PatternRule[] {
  const allowed = allow?.map(startOf);
  if (allowed !== undefined && !allowed.includes("*"))
    return allowed.map((pattern) => (pattern.includes("*") ? { wildcard: pattern } : pattern));
  const denied = deny.map(withoutRepeats).filter((pattern) => wildcardsOf(pattern) <= mostWildcards);
  return denied.length === 0 ? [] : [{ "anything-but": { wildcard: denied } }];
}

/** Returns a pattern with few wildcards, which fits at least what the given pattern fits. */
function startOf(pattern: string): string {
  const short = withoutRepeats(pattern);
  return wildcardsOf(short) <= mostWildcards ? short : `${short.slice(0, short.indexOf("*"))}*`;
}

function withoutRepeats(pattern: string): string {
  return pattern.replaceAll(/\*+/g, "*");
}

function wildcardsOf(pattern: string): number {
  return pattern.split("*").length - 1;
}
