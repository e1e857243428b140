import { isObject, parseJson } from "#domain/shared/json";
import { epochMs } from "#domain/shared/time";
import type { AwsGet } from "../shared/aws-get.ts";
import { userClientOptions, type CredentialProvider } from "../shared/aws.ts";
import { readUpTo } from "../shared/bounded-body.ts";
import { openHttp } from "../shared/http-send.ts";
import { requestSigner } from "./signer.ts";

const { connectionTimeout, requestTimeout } = userClientOptions.requestHandler;

/** The longest answer that is read. */
const longestAnswer = 256 * 1_024;

/** A service, and the region of its signatures. */
interface SignedService {
  readonly region: string;
  readonly service: string;
  /** The time for one request. */
  readonly timeoutMs?: number;
}

/** Returns a sender of signed GET requests to one service, for services without an SDK client here. */
export function signedGet(
  credentials: CredentialProvider,
  { timeoutMs = requestTimeout, ...of }: SignedService,
): AwsGet {
  const sign = requestSigner(credentials, of);
  return async (url) => {
    const http = openHttp({ connectMs: connectionTimeout, keepMs: 1_000 });
    try {
      const headers = await sign({ method: "GET", url, headers: {} }, epochMs(Date.now()));
      const signal = AbortSignal.timeout(timeoutMs);
      const reply = await http.send(url, { method: "GET", headers, signal, repeatable: true });
      const text = (await readUpTo(longestAnswer, reply.body))?.toString("utf8") ?? "";
      if (reply.statusCode >= 200 && reply.statusCode < 300) return text;
      throw answeredError(reply.statusCode, reply.headers["x-amzn-errortype"], text);
    } finally {
      http.close();
    }
  };
}

/** Returns the error of an answer, in the form of the SDK's errors. */
function answeredError(httpStatusCode: number, type: string | string[] | undefined, text: string): Error {
  const json = parseJson(text);
  const fields = isObject(json) ? json : {};
  const code = [type, fields["__type"], xmlText(text, "Code")].find((one) => typeof one === "string");
  const message = [fields["message"], fields["Message"], xmlText(text, "Message")].find(
    (one) => typeof one === "string",
  );
  // REST services append a URL to the code: `AccessDeniedException:http://…`.
  const name = (code ?? "UnknownError").split(":")[0]?.split("#").at(-1) ?? "";
  return Object.assign(new Error(message ?? ""), { name, $metadata: { httpStatusCode } });
}

function xmlText(text: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(text)?.[1];
}
