import type { ImageName } from "../image/reference.ts";
import { filterOf } from "./policy.ts";
import { attributesOf } from "./tag-filter.ts";

type Rule = Parameters<typeof filterOf>[0];

/** The attributes that every image has. A group of a pattern can't have these names. */
const reserved = ["tag", "name", "digest"] as const;

const mostAttributes = 10;
const longestAttribute = 128;
/**
 * The form of an attribute's name. The name follows a prefix in an annotation key, whose length
 * Kubernetes limits.
 */
const attributeName = /^[a-z0-9](?:[a-z0-9_]{0,44}[a-z0-9])?$/i;

/**
 * Returns the named groups of a rule's patterns for a tag, in their order. The result does not
 * contain groups with a long value.
 */
export function groupsOf(rule: Rule, tag: string): readonly (readonly [name: string, value: string])[] {
  return Object.entries(attributesOf(filterOf(rule).patterns, tag)).filter(
    ([name, value]) => isGroup(name) && value.length <= longestAttribute,
  );
}

function isGroup(name: string): boolean {
  return !reserved.some((one) => one === name) && attributeName.test(name);
}

/** Returns the names of the attributes that an image of a rule may have: the reserved ones, then the groups. */
export function nameable(rule: Rule): readonly string[] {
  const groups = filterOf(rule).patterns.flatMap(({ groupNames }) => groupNames.filter((name) => name !== undefined));
  return [...reserved, ...new Set(groups.filter(isGroup))];
}

/**
 * Returns all attributes of an image: the groups that match, and what is known of its `tag`, `name`
 * and `digest`.
 */
export function allAttributes(
  rule: Rule,
  { imageName, tag, digest }: { readonly imageName: ImageName; readonly tag?: string; readonly digest?: string },
): Readonly<Record<string, string>> {
  const groups = tag === undefined ? [] : groupsOf(rule, tag).filter(([, value]) => value !== "");
  return {
    ...Object.fromEntries(groups),
    name: imageName,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/**
 * Returns the attributes of an image: at most ten named groups of the patterns, its `tag`, and its
 * repository as `name`.
 *
 * Returns undefined if no pattern names a group.
 */
export function imageAttributes(
  rule: Rule,
  { imageName, tag }: { readonly imageName: ImageName; readonly tag: string },
): Readonly<Record<string, string>> | undefined {
  const groups = groupsOf(rule, tag).slice(0, mostAttributes);
  return groups.length === 0 ? undefined : { ...Object.fromEntries(groups), tag, name: imageName };
}

/**
 * Returns at most ten attributes of the containers of an object, each once. The result does not
 * contain an attribute whose values differ between containers.
 */
export function agreedAttributes(
  found: readonly (readonly [name: string, value: string])[],
): readonly (readonly [name: string, value: string])[] {
  const agreed = found.filter(([name, value]) => found.every(([other, said]) => other !== name || said === value));
  return [...new Map(agreed)].slice(0, mostAttributes);
}

/**
 * Returns the reserved names among the groups of a rule's patterns. These groups give no attribute.
 */
export function reservedGroups(rule: Rule): readonly (typeof reserved)[number][] {
  const names = filterOf(rule).patterns.flatMap(({ groupNames }) => groupNames);
  return reserved.filter((name) => names.includes(name));
}
