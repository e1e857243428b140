import type { CheckView } from "#contracts/api/doctor";
import { shortened } from "#domain/shared/shown-text";
import type { AwsRefusal } from "#runtime/account-facts";

/** The result of one check before a deployment. AWS did not answer the questions of an `unchecked` one. */
export interface DeployCheck extends Omit<CheckView, "verdict"> {
  readonly verdict: CheckView["verdict"] | "unchecked";
}

/** A request of a check. */
export interface CheckedCall {
  readonly check: string;
  /** The object of the request, in a sentence: `the EKS cluster prod`. */
  readonly what: string;
  readonly service: string;
  readonly region: string;
  /** The IAM action of the request. */
  readonly right: string;
}

/** The maximum length of a text of AWS in a check. */
const longestDetail = 300;

/** Returns a text of AWS or of its client, shortened. */
export function detailText(text: string): string {
  return shortened(text, longestDetail);
}

/** Returns the check of a refused request. A refused request never passes a check. */
export function refusedCheck(
  { check, what, service, region, right }: CheckedCall,
  { kind, detail, isUnknownHost }: AwsRefusal,
): DeployCheck {
  const said = detailText(detail);
  if (isUnknownHost === true)
    return {
      check,
      verdict: "wrong",
      detail: `the region ${region} has no ${service}: ${said}`,
      remedy: `Deploy in a region with ${service}, or check the name of the region and the DNS of this machine.`,
    };
  if (kind === "denied")
    return {
      check,
      verdict: "unchecked",
      detail: `AWS does not let you read ${what}: ${said}`,
      remedy: `You need ${right}. Run the command again with this right.`,
    };
  return {
    check,
    verdict: "unchecked",
    detail: `${what} can't be read: ${said}`,
    remedy: `Run the command again. If it fails again, check your access to ${service} in ${region}, and the proxy.`,
  };
}
