import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import type { EpochMs } from "#domain/shared/time";
import type { CredentialProvider } from "../shared/aws.ts";

/** A request to sign. The signature also covers its `host`. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the headers of a request, with a signature over the headers, the URL and the body. */
export type SignRequest = (request: UnsignedRequest, now: EpochMs) => Promise<Readonly<Record<string, string>>>;

/**
 * Returns a signer for AWS Signature Version 4. Without credentials, the signer throws an error of
 * the SDK.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function requestSigner(
  credentials: CredentialProvider,
  { region, service }: { readonly region: string; readonly service: string },
): SignRequest {
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
  return async ({ method, url, headers, body }, now) => {
    const { protocol, hostname, port, pathname: path, host, searchParams } = new URL(url);
    const signed = await signer.sign(
      {
        method,
        protocol,
        hostname,
        path,
        query: Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)])),
        headers: { ...headers, host },
        ...(port === "" ? {} : { port: Number(port) }),
        ...(body === undefined ? {} : { body }),
      },
      { signingDate: new Date(now) },
    );
    // The HTTP client sends the host header itself.
    const { host: signedHost, ...sent } = signed.headers;
    return sent;
  };
}
