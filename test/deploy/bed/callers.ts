import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { requestSigner } from "#adapters/signature-v4/signer";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { ProblemView } from "#contracts/api/schema";
import { epochMs } from "#domain/shared/time";
import { account, type Emulator, region } from "./emulator.ts";

/** The response of `/v1` to a write. */
export interface ApiAnswer {
  readonly status: number;
  /** The problem of a refused request. Absent: the request succeeded. */
  readonly problem?: ProblemView;
}

/** A caller of `/v1` with the credentials of an IAM role. */
export interface Caller {
  get(path: string): Promise<unknown>;
  post(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<ApiAnswer>;
}

const session = "of-the-test";

/** Assumes a role, and returns its session as a caller of a stack's API. */
export async function callerWith(
  role: string,
  emulator: Emulator,
  outputs: Readonly<Record<string, string>>,
): Promise<Caller> {
  const asked = new AssumeRoleCommand({ RoleArn: roleArn(role), RoleSessionName: session });
  const { Credentials: given } = await new STSClient(emulator.aws).send(asked);
  const {
    AccessKeyId: accessKeyId = "",
    SecretAccessKey: secretAccessKey = "",
    SessionToken: sessionToken = "",
  } = given ?? {};
  const credentials = () => Promise.resolve({ accessKeyId, secretAccessKey, sessionToken });
  const sign = requestSigner(credentials, { region, service: "execute-api" });
  const ask = async (method: string, path: string, given: Readonly<Record<string, string>>, body?: string) => {
    const url = apiUrl(`/v1/${path}`, outputs, emulator);
    const request = { method, url, headers: given, ...(body === undefined ? {} : { body }) };
    const headers = await sign(request, epochMs(Date.now()));
    return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  };
  return {
    async get(path) {
      const response = await ask("GET", path, {});
      if (!response.ok) throw new Error(`GET /v1/${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    async post(path, body, headers) {
      const sent = { "content-type": "application/json", ...headers };
      const response = await ask("POST", path, sent, JSON.stringify(body));
      const { status } = response;
      const answer: unknown = await response.json();
      return response.ok ? { status } : { status, problem: answer as ProblemView };
    },
  };
}

/** Returns the ARN of a role in the emulator's account. */
export function roleArn(role: string): string {
  return `arn:aws:iam::${account}:role/${role}`;
}

/** Returns the ARN of a role's session, as IAM proves it. */
export function sessionArn(role: string): string {
  return `arn:aws:sts::${account}:assumed-role/${role}/${session}`;
}

/**
 * Returns the address of the stack's API at the emulator. The host of the stack's output does not
 * resolve.
 */
export function apiUrl(
  path: string,
  outputs: Readonly<Record<string, string>>,
  { endpoint }: Pick<Emulator, "endpoint">,
): string {
  const { hostname } = new URL(outputs[stackOutputs.apiUrl] ?? "");
  return `${endpoint}/_aws/execute-api/${hostname.split(".")[0] ?? ""}/$default${path}`;
}
