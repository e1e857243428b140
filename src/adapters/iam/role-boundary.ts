import { type AwsRefusal, awsErrorOf, callOnce } from "../shared/aws-errors.ts";
import type { AwsGet, AwsHost } from "../shared/aws-get.ts";

/** The permissions boundary of a role. */
export type BoundaryRead =
  | { readonly kind: "boundary"; readonly arn: string }
  | { readonly kind: "none" }
  | { readonly kind: "no-role" }
  | AwsRefusal;

/**
 * Reads the permissions boundary of a role of the caller's account.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRole.html
 */
export async function readBoundary(role: string, { url }: AwsHost, get: AwsGet): Promise<BoundaryRead> {
  return callOnce({ destroy: () => undefined }, () => read(role, url, get));
}

async function read(role: string, url: string, get: AwsGet): Promise<BoundaryRead> {
  const query = new URLSearchParams({ Action: "GetRole", RoleName: role, Version: "2010-05-08" });
  try {
    const answer = await get(`${url}/?${query.toString()}`);
    if (!answer.includes("<GetRoleResult>")) return { kind: "failed", detail: "the answer has no role" };
    const arn = /<PermissionsBoundaryArn>([^<]+)<\/PermissionsBoundaryArn>/.exec(answer)?.[1];
    return arn === undefined ? { kind: "none" } : { kind: "boundary", arn };
  } catch (error) {
    if (awsErrorOf(error).code === "NoSuchEntity") return { kind: "no-role" };
    throw error;
  }
}
