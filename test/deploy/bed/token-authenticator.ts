import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as z from "zod";

/** The user and the groups of a role in the cluster. */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
}

/** A server that authenticates AWS tokens for an API server, as the authenticator of EKS does. */
export interface TokenAuthenticator {
  readonly url: string;
  /** The number of checked tokens, and the reasons of refusals. */
  readonly seen: { tokens: number; readonly refusals: string[] };
  /** Gives a role access, as an access entry does. */
  letIn(roleArn: string, identity: Identity): void;
  stop(): Promise<void>;
}

const Review = z.object({ spec: z.object({ token: z.string() }) });
const Caller = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Arn: z.string() }) }),
});

/**
 * Starts the authenticator on 127.0.0.1.
 *
 * @param clusterName - the required cluster of tokens. Tokens for other clusters are refused.
 * @param sts - the address of STS. The host in a token is not used, because it may be forged.
 * @see
 * https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function startTokenAuthenticator(clusterName: string, sts: string): Promise<TokenAuthenticator> {
  const roles = new Map<string, Identity>();
  const seen: TokenAuthenticator["seen"] = { tokens: 0, refusals: [] };
  const review = async (request: IncomingMessage): Promise<object> => {
    const { spec } = Review.parse(await json(request));
    seen.tokens += 1;
    try {
      const role = await roleOf(spec.token, clusterName, sts);
      const user = roles.get(role);
      if (user === undefined) throw new Error(`no access entry for ${role}`);
      return { authenticated: true, user };
    } catch (error) {
      seen.refusals.push(String(error));
      return { authenticated: false, error: String(error) };
    }
  };
  const server = createServer((request, response) => {
    void review(request).then((status) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    letIn: (roleArn, identity) => void roles.set(roleArn, identity),
    stop: () => stopped(server),
  };
}

const prefix = "k8s-aws-v1.";
const parameters = new Set([
  ...["action", "version", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires"],
  ...[
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
    "x-amz-content-sha256",
    "x-amz-user-agent",
    "x-id",
  ],
]);

/** Returns the ARN of the role that signed a token. */
async function roleOf(token: string, clusterName: string, sts: string): Promise<string> {
  const question = questionIn(token);
  const response = await fetch(`${sts}/${question.search}`, {
    headers: { "x-k8s-aws-id": clusterName, accept: "application/json" },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`STS answers ${response.status}: ${text}`);
  return canonical(arnIn(text));
}

/** Returns the STS request in a token. Any request except GetCallerIdentity is refused. */
function questionIn(token: string): URL {
  if (!token.startsWith(prefix) || token.length > 4096) throw new Error("the token is not an EKS token");
  const encoded = token.slice(prefix.length);
  if (!/^[\w-]+$/.test(encoded)) throw new Error("the token is not base64url without padding");
  const url = new URL(Buffer.from(encoded, "base64url").toString());
  const unknown = [...url.searchParams.keys()].filter((name) => !parameters.has(name.toLowerCase()));
  if (unknown.length > 0) throw new Error(`the token has unknown parameters: ${unknown.join(", ")}`);
  if (url.pathname !== "/" || url.searchParams.get("Action") !== "GetCallerIdentity")
    throw new Error("the token contains another request than GetCallerIdentity");
  const signed = url.searchParams.get("X-Amz-SignedHeaders")?.split(";") ?? [];
  if (!signed.includes("host") || !signed.includes("x-k8s-aws-id"))
    throw new Error("the token is not for this cluster");
  const expires = Number(url.searchParams.get("X-Amz-Expires"));
  if (!(expires > 0 && expires <= 900)) throw new Error("the token has no valid lifetime");
  return url;
}

/** Returns the ARN in a response. The emulator responds in XML, and AWS in JSON. */
function arnIn(text: string): string {
  const [, arn] = /<Arn>([^<]+)<\/Arn>/.exec(text) ?? [];
  return arn ?? Caller.parse(JSON.parse(text)).GetCallerIdentityResponse.GetCallerIdentityResult.Arn;
}

/**
 * Returns the role of a session: `arn:aws:iam::1:role/name` for
 * `arn:aws:sts::1:assumed-role/name/session`.
 */
function canonical(arn: string): string {
  return arn.replace(/^arn:([^:]+):sts::(\d+):assumed-role\/([^/]+)\/.*$/, "arn:$1:iam::$2:role/$3");
}

async function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
