import { noAnswer, type NoAnswer } from "../shared/aws-errors.ts";
import type { CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";
import { eksToken, type EksTokenRequest } from "./eks-token.ts";

/** A token, or why there is none. */
export type EksToken = { readonly kind: "token"; readonly value: string } | NoAnswer;

/** Whose token it is, and where to. */
export interface EksAccess extends EksTokenRequest {
  readonly credentials: CredentialProvider;
  /** ARN of the role that the credentials are of; absent: they are one's own. */
  readonly roleArn?: string | undefined;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

/** One minute less than EKS lets a token in. */
const keptMs = 13 * 60_000;
/** A token that the cluster just refused is not made again for all who ask at once. */
const freshMs = 1_000;

/** Gives the token for a cluster, kept for thirteen minutes. Afresh: the cluster refused the last one. */
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
      const role = roleArn ?? "that is named";
      return noAnswer(
        error,
        "STS",
        `the role ${role} may not be taken: its trust policy must name who asks, and who asks must be allowed sts:AssumeRole on it`,
      );
    }
  };
  return memoizeFor(make, {
    keptMs: ({ kind }) => (kind === "token" ? keptMs : freshMs),
    freshMs,
    monotonicMs: monotonicMs ?? (() => performance.now()),
  });
}
