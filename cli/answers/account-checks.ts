import { deployedRoutes } from "#contracts/routes";
import type { AccountFacts } from "#runtime/account-facts";
import { type DeployCheck, refusedCheck } from "./deploy-check.ts";

/** The oldest version of the bootstrap stack with which the CDK can deploy Lookout's stack. */
export const oldestBootstrap = 6;

/** Returns the check of the caller's identity. */
export function identityBeforeDeploy({ identity }: Pick<AccountFacts, "identity">, region: string): DeployCheck {
  const check = "identity";
  if (identity.kind !== "identity")
    return refusedCheck(
      { check, what: "your identity", service: "STS", region, right: "sts:GetCallerIdentity" },
      identity,
    );
  const { arn, account } = identity;
  return { check, verdict: "well", detail: `you are ${arn}, and deploy to the account ${account} in ${region}` };
}

/** Returns the check of the CDK bootstrap stack, which a deployment needs. */
export function bootstrapBeforeDeploy(
  { bootstrap, identity }: Pick<AccountFacts, "bootstrap" | "identity">,
  region: string,
): DeployCheck {
  const check = "bootstrap";
  const remedy = `To bootstrap:  npx cdk bootstrap aws://${identity.kind === "identity" ? identity.account : "ACCOUNT"}/${region}`;
  if (bootstrap.kind === "not-bootstrapped")
    return {
      check,
      verdict: "wrong",
      detail: `${region} has no CDK bootstrap stack with the default name`,
      remedy: `${remedy} · If your app uses another qualifier, the check does not apply.`,
    };
  if (bootstrap.kind !== "version")
    return refusedCheck(
      { check, what: "the CDK bootstrap stack", service: "SSM", region, right: "ssm:GetParameter" },
      bootstrap,
    );
  const { version } = bootstrap;
  const detail = `the CDK bootstrap stack has version ${version}`;
  if (version >= oldestBootstrap) return { check, verdict: "well", detail };
  return { check, verdict: "wrong", detail: `${detail}, and Lookout needs ${oldestBootstrap}`, remedy };
}

/** Returns the check of the permissions boundary of the role that creates the stack. Empty without a role. */
export function boundaryBeforeDeploy(
  { boundary }: Pick<AccountFacts, "boundary">,
  region: string,
): readonly DeployCheck[] {
  const check = "permissions boundary";
  if (boundary === undefined || boundary.kind === "no-role") return [];
  if (boundary.kind === "none") return [{ check, verdict: "well", detail: "the CDK's execution role has none" }];
  if (boundary.kind !== "boundary") {
    const what = "the CDK's execution role";
    return [refusedCheck({ check, what, service: "IAM", region, right: "iam:GetRole" }, boundary)];
  }
  const name = boundary.arn.split(":policy/").at(-1) ?? boundary.arn;
  return [
    {
      check,
      verdict: "doubtful",
      detail: `the CDK's execution role has the boundary ${boundary.arn}, which may refuse roles without a boundary`,
      remedy: `If the boundary asks for it, add to "context" in cdk.json:  "@aws-cdk/core:permissionsBoundary": { "name": ${JSON.stringify(name)} }`,
    },
  ];
}

/** The quota of a new account, in which Lookout's functions stop each other. */
const lowestQuota = 10;

/** What the queues of a stack depend on. */
interface Queued {
  /** The number of VPCs with copies of functions. */
  readonly vpcs: number;
  readonly channels: readonly unknown[];
  readonly checks: readonly unknown[];
}

/**
 * Returns the number of the stack's queues that start functions, and the number of runs that they
 * take together when all of them have messages.
 */
export function runsOfQueues({ vpcs, channels, checks }: Queued): { readonly queues: number; readonly runs: number } {
  const counted = deployedRoutes({ channels, checks, tiers: [] }).map(({ trigger, reaches, stackConcurrency }) => {
    if (stackConcurrency === undefined) return { queues: 0, runs: 0 };
    const queues = trigger.kind === "command" && reaches.includes("clusters") ? 1 + vpcs : 1;
    return { queues, runs: queues * stackConcurrency };
  });
  const sum = (part: "queues" | "runs") => counted.reduce((total, one) => total + one[part], 0);
  return { queues: sum("queues"), runs: sum("runs") };
}

/** Returns the check of the number of functions that may run at the same time. */
export function concurrencyBeforeDeploy(
  { concurrency }: Pick<AccountFacts, "concurrency">,
  { region, ...queued }: Queued & { readonly region: string },
): DeployCheck {
  const check = "concurrency";
  if (concurrency.kind !== "concurrency") {
    const what = "the quota of concurrent functions";
    return refusedCheck({ check, what, service: "Lambda", region, right: "lambda:GetAccountSettings" }, concurrency);
  }
  const { all, unreserved } = concurrency;
  const { queues, runs } = runsOfQueues(queued);
  const need = `Lookout's ${queues} queues take ${runs} when all of them have messages`;
  const detail = `the account may run ${all} functions at the same time, ${unreserved} of them unreserved; ${need}`;
  if (all > lowestQuota && unreserved >= runs) return { check, verdict: "well", detail };
  const request = `aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value 1000`;
  return {
    check,
    verdict: all <= lowestQuota ? "wrong" : "doubtful",
    detail: `${detail}. Throttled messages are late, and may become dead letters`,
    remedy: `To raise the quota (L-B99A9384):  ${request}${unreserved < all ? " · Or reserve less for other functions." : ""}`,
  };
}
