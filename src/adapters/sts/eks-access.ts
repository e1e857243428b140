import { noAnswer, type NoAnswer } from "../shared/aws-errors.ts";
import type { CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";
import { eksToken, type EksTokenRequest } from "./eks-token.ts";

/** A token for a cluster, or why there is none. */
export type EksToken = { readonly kind: "token"; readonly value: string } | NoAnswer;

/** Whose token to make, and for which cluster. */
export interface EksAccess extends EksTokenRequest {
  readonly credentials: CredentialProvider;
  /** ARN of the role of the credentials; absent: the process's own credentials. */
  readonly roleArn?: string | undefined;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

/** One minute less than the age at which clients of EKS replace a token. */
const keptMs = 13 * 60_000;
/** Concurrent callers share the token that replaces a refused one. */
const freshMs = 1_000;

/** Returns a function that makes a cluster's token and caches it for thirteen minutes. `afresh`: the cluster refused the last token. */
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
