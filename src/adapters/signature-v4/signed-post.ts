import { epochMs } from "#domain/shared/time";
import type { Post, SignedPost } from "#ports/post";
import type { CredentialProvider } from "../shared/aws.ts";
import { requestSigner, type SignRequest } from "./signer.ts";

/**
 * Returns a sender of signed requests to services of AWS.
 *
 * @param post - sends the signed request
 * @param endpoint - the address of all services, for emulators. Absent: those of AWS.
 */
export function signedPost(credentials: CredentialProvider, post: Post, endpoint?: string): SignedPost {
  const signers = new Map<string, SignRequest>();
  return async ({ service, region, headers, body }) => {
    const url = endpoint ?? `https://${service}.${region}.${domainOf(region)}/`;
    const key = `${service} ${region}`;
    const sign = signers.get(key) ?? requestSigner(credentials, { service, region });
    signers.set(key, sign);
    try {
      const signed = await sign({ method: "POST", url, headers, body }, epochMs(Date.now()));
      return await post({ url, headers: signed, body });
    } catch (error) {
      return {
        kind: "unanswered",
        why: `the request to ${service} can't be signed: ${error instanceof Error ? error.name : "unknown error"}`,
      };
    }
  };
}

/** The domains of the partitions of AWS, by the beginnings of their regions. */
function domainOf(region: string): string {
  if (region.startsWith("cn-")) return "amazonaws.com.cn";
  return region.startsWith("eusc-") ? "amazonaws.eu" : "amazonaws.com";
}
