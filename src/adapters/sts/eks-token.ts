import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import { type AwsCredentials, domainOf } from "../shared/aws.ts";

/** For which cluster a token is, and where STS is asked by the one who checks it. */
export interface EksTokenRequest {
  /** What EKS calls the cluster. */
  readonly cluster: string;
  readonly region: string;
  /** Where STS is instead of under its own name. */
  readonly endpoint?: string | undefined;
}

/** How long the URL in a token may be fetched, in seconds; EKS lets the token itself in for fifteen minutes. */
const fetchableSeconds = 60;

/**
 * Makes the token that EKS takes for who has the credentials: a signed URL of STS's GetCallerIdentity that is good for this cluster alone.
 *
 * @param now - when it is signed; it is let in for fifteen minutes from then.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function eksToken(
  { cluster, region, endpoint }: EksTokenRequest,
  credentials: AwsCredentials,
  now: Date,
): Promise<string> {
  const { protocol, hostname, port, host } = new URL(endpoint ?? `https://sts.${region}.${domainOf(region)}`);
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256: Sha256 });
  const signed = await signer.presign(
    {
      method: "GET",
      ...{ protocol, hostname, path: "/" },
      ...(port === "" ? {} : { port: Number(port) }),
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
      headers: { host, "x-k8s-aws-id": cluster },
    },
    { expiresIn: fetchableSeconds, signingDate: now },
  );
  const query = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  const url = `${protocol}//${host}/?${query.join("&")}`;
  return `k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;
}
