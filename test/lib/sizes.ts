import type { Deployed } from "./deployed.ts";

const isReference = (value: unknown): boolean =>
  typeof value === "object" && value !== null && /^(?:Ref|Fn::\w+)$/.test(Object.keys(value)[0] ?? "");

/**
 * What AWS counts: a part of the template as text, with what is known at the deployment in place of
 * each reference.
 */
export function textOf(stack: Deployed, part: unknown): string {
  return JSON.stringify(part, (_, value: unknown) => (isReference(value) ? stack.text(value) : value))
    .replaceAll(/<Lookout\w+\.Arn>/g, `arn:aws-us-gov:service:us-gov-west-1:123456789012:${"n".repeat(64)}`)
    .replaceAll("<AWS::Partition>", "aws-us-gov")
    .replaceAll("<AWS::Region>", "ap-northeast-1")
    .replaceAll("<AWS::AccountId>", "123456789012");
}

/**
 * The longest of a property among all resources of a type, in characters; 0 where there is none.
 */
export function longest(stack: Deployed, type: string, property: string): number {
  return Math.max(
    0,
    ...[...stack.resources(type).values()].map((resource) => textOf(stack, resource[property]).length),
  );
}

/** How many managed policies the role has that has the most. */
export function mostManagedPolicies(stack: Deployed): number {
  const ofRoles = [...stack.resources("AWS::IAM::ManagedPolicy").values()].flatMap(({ Roles }) => Roles as unknown[]);
  const counts = Map.groupBy(ofRoles, (role) => stack.text(role))
    .values()
    .map(({ length }) => length);
  return Math.max(0, ...counts);
}
