import { createHash, createHmac } from "node:crypto";
import type { Arrived } from "./stand-in.ts";

export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** An error by its name in AWS, and why. */
export interface SignatureFault {
  readonly code:
    "MissingAuthenticationToken" | "InvalidClientTokenId" | "SignatureDoesNotMatch" | "IncompleteSignature";
  readonly message: string;
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([a-z\d;-]+), ?Signature=([\da-f]{64})$/;

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text, "utf8").digest();

/**
 * Checks a request's Signature Version 4 without any code of AWS. Returns undefined if it is valid.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureFault(
  request: Arrived,
  key: AwsKey,
  expected: { readonly region: string; readonly service: string },
): SignatureFault | undefined {
  const { headers } = request;
  const authorization = headers["authorization"];
  if (authorization === undefined) return { code: "MissingAuthenticationToken", message: "there is no signature" };
  const match = form.exec(authorization);
  if (match === null) return { code: "IncompleteSignature", message: "Authorization has another form" };
  const [, id = "", day = "", region = "", service = "", names = "", signature] = match;
  if (id !== key.accessKeyId || headers["x-amz-security-token"] !== key.sessionToken)
    return { code: "InvalidClientTokenId", message: "The security token included in the request is invalid." };
  const no = (message: string): SignatureFault => ({ code: "SignatureDoesNotMatch", message });
  if (region !== expected.region || service !== expected.service)
    return no(`Credential should be scoped to ${expected.region} and ${expected.service}`);
  const signed = names.split(";");
  const unsigned = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))].filter(
    (name) => !signed.includes(name),
  );
  if (unsigned.length > 0) return no(`not signed: ${unsigned.join(", ")}`);
  const date = headers["x-amz-date"] ?? "";
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!date.startsWith(day) || !(Math.abs(at - request.at) <= 15 * 60_000)) return no(`Signature expired: ${date}`);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical(request, signed))].join("\n");
  const signingKey = [region, service, "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${key.secretAccessKey}`, day));
  if (hmac(signingKey, toSign).toString("hex") !== signature)
    return no("The request signature we calculated does not match the signature you provided.");
  return undefined;
}

function canonical({ method, path, headers, body }: Arrived, signed: readonly string[]): string {
  const [place = "", query = ""] = path.split("?");
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encode).join("="));
  return [
    method,
    place.split("/").map(encode).join("/"),
    pairs.sort().join("&"),
    ...signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signed.join(";"),
    sha256(body),
  ].join("\n");
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
