import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import { domainOf } from "#domain/registry/ecr-host";
import type { AwsCredentials } from "../shared/aws.ts";

/** The cluster of a token, and the STS that checks it. */
export interface EksTokenRequest {
  /** The cluster's name in EKS. */
  readonly cluster: string;
  readonly region: string;
  /** STS's endpoint. The default is the endpoint of the region. */
  readonly endpoint?: string | undefined;
}

/** The lifetime of the token's URL in seconds. EKS accepts the token itself for fifteen minutes. */
const fetchableSeconds = 60;

/**
 * Returns a token for EKS: a signed URL of STS's GetCallerIdentity that only this cluster accepts.
 *
 * @param now - the instant of the signature. EKS accepts the token for fifteen minutes from then.
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
      protocol,
      hostname,
      path: "/",
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
