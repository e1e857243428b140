import { noAnswer, type NoAnswer } from "../shared/aws-errors.ts";
import type { CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";
import { eksToken, type EksTokenRequest } from "./eks-token.ts";

/** A token for a cluster, or the reason why there is no token. */
export type EksToken = { readonly kind: "token"; readonly value: string } | NoAnswer;

/** The cluster and the credentials of a token. */
export interface EksAccess extends EksTokenRequest {
  readonly credentials: CredentialProvider;
  /** The ARN of the role to assume. Absent if Lookout uses the process's own credentials. */
  readonly roleArn?: string | undefined;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

/**
 * The cache time of a token: one minute less than the age at which clients of EKS replace a token.
 */
const keptMs = 13 * 60_000;
/** The time in which concurrent callers share the token that replaces a rejected token. */
const freshMs = 1_000;

/**
 * Returns a function that makes a cluster's token and caches it for thirteen minutes. `afresh` is
 * true when the cluster rejected the last token.
 */
export function eksTokens({
  credentials,
  roleArn,
  monotonicMs,
  ...request
}: EksAccess): (afresh: boolean) => Promise<EksToken> {
  const make = async (): Promise<EksToken> => {
    try {
      return { kind: "token", value: await eksToken(request, await credentials(), new Date()) };
    } catch (error) {
      return noAnswer(
        error,
        "STS",
        `STS denied the role${roleArn === undefined ? "" : ` ${roleArn}`}: name Lookout's role in its trust policy, and allow that role sts:AssumeRole on it`,
      );
    }
  };
  return memoizeFor(make, {
    keptMs: ({ kind }) => (kind === "token" ? keptMs : freshMs),
    freshMs,
    monotonicMs: monotonicMs ?? (() => performance.now()),
  });
}
