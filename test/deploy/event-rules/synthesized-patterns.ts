import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { LookoutMember } from "#lib/stack/lookout-member";
import { deploy, testApp } from "../../lib/deployed.ts";

/**
 * Returns the synthesized event patterns of an installation and of its member account, by the
 * descriptions of their resources.
 */
export function synthesizedPatterns(account: string, memberAccount: string): ReadonlyMap<string, unknown> {
  return new Map([
    ...patternsOf(deploy({ accounts: [memberAccount], channels: [] }).template, account),
    ...patternsOf(memberTemplate(), memberAccount),
  ]);
}

function memberTemplate(): Template {
  const stack = new Stack(testApp(), "Member");
  new LookoutMember(stack, "Lookout", {
    busArn: "arn:aws:events:eu-central-1:111122223333:event-bus/LookoutBus",
    accessRoleArn: "arn:aws:iam::111122223333:role/Lookout-AccessRole",
    registryRoleArn: "arn:aws:iam::111122223333:role/Lookout-RegistryRole",
  });
  return Template.fromStack(stack);
}

interface Resource {
  readonly Properties?: { readonly Description?: string; readonly EventPattern?: unknown };
}

function patternsOf(template: Template, account: string): readonly (readonly [string, unknown])[] {
  const { Resources } = template.toJSON() as { readonly Resources: Readonly<Record<string, Resource>> };
  return Object.values(Resources).flatMap(({ Properties: { Description = "", EventPattern } = {} }) =>
    EventPattern === undefined ? [] : [[Description, inAccount(EventPattern, account)] as const],
  );
}

/** Replaces references to the account, as CloudFormation does. */
function inAccount(pattern: unknown, account: string): unknown {
  return JSON.parse(JSON.stringify(pattern).replaceAll('{"Ref":"AWS::AccountId"}', JSON.stringify(account)));
}
