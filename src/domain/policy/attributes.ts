import type { ImageName } from "../image/reference.ts";
import { filterOf } from "./policy.ts";
import { attributesOf } from "./tag-filter.ts";

type Rule = Parameters<typeof filterOf>[0];

/** The attributes that every image has. A group of a pattern can't have these names. */
const reserved = ["tag", "name"] as const;

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
  const isReserved = (name: string): boolean => reserved.some((one) => one === name);
  return Object.entries(attributesOf(filterOf(rule).patterns, tag)).filter(
    ([name, value]) => !isReserved(name) && attributeName.test(name) && value.length <= longestAttribute,
  );
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
export function reservedGroups(rule: Rule): readonly string[] {
  const names = filterOf(rule).patterns.flatMap(({ groupNames }) => groupNames);
  return reserved.filter((name) => names.includes(name));
}
