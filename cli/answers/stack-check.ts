import type { StackFound } from "#runtime/stack";
import { type DeployCheck, refusedCheck } from "./deploy-check.ts";

/** A stack to deploy. */
interface AskedStack {
  readonly name: string;
  readonly region: string;
}

/** The verdicts of CloudFormation's statuses. The first matching row decides. */
const statuses: readonly (readonly [pattern: RegExp, verdict: DeployCheck["verdict"], text: string])[] = [
  [/^(?:CREATE|UPDATE|IMPORT)_COMPLETE$/, "well", ""],
  [/^REVIEW_IN_PROGRESS$/, "well", ": nothing is created yet"],
  [/_IN_PROGRESS$/, "doubtful", ": wait until this operation ends"],
  [/^ROLLBACK_COMPLETE$/, "doubtful", ": its first deployment failed, and the next one creates it again"],
  [/_COMPLETE$/, "doubtful", ": its last deployment failed"],
  [/./, "wrong", ": CloudFormation can't update the stack in this state"],
];

/** Returns the check of the stack's state, also of a stack that does not exist yet. */
export function stackBeforeDeploy(found: StackFound, { name, region }: AskedStack): DeployCheck {
  const check = "stack";
  if (found.kind === "not-found")
    return {
      check,
      verdict: "well",
      detail: `there is no stack ${name} in ${region}: this is its first deployment, and there are no stored items to compare`,
    };
  if (found.kind !== "deployed" && found.kind !== "not-lookout") {
    const what = `the stack ${name}`;
    return refusedCheck(
      { check, what, service: "CloudFormation", region, right: "cloudformation:DescribeStacks" },
      found,
    );
  }
  const { status } = found;
  const [, verdict, text] = statuses.find(([pattern]) => pattern.test(status)) ?? ([/./, "wrong", ""] as const);
  if (found.kind === "not-lookout" && verdict === "well" && !status.startsWith("REVIEW"))
    return {
      check,
      verdict: "doubtful",
      detail: `the stack ${name} in ${region} exists, and has no Lookout`,
      remedy: `npm run deploy would delete the resources of this stack. Choose another name: LOOKOUT_STACK=NAME. Deploy to this stack only if your own app adds Lookout to it.`,
    };
  const events = `aws cloudformation describe-stack-events --stack-name ${name} --region ${region}`;
  const repair =
    status === "UPDATE_ROLLBACK_FAILED"
      ? ` · To end the roll-back:  aws cloudformation continue-update-rollback --stack-name ${name} --region ${region}`
      : "";
  return {
    check,
    verdict,
    detail: `${name} in ${region} is ${status}${text}`,
    ...(verdict === "well" ? {} : { remedy: `To see the cause:  ${events}${repair}` }),
  };
}
