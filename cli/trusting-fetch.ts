import { X509Certificate } from "node:crypto";
import { Agent, fetch } from "undici";
import type { Trust } from "./world.ts";

/** Sends a request over TLS, and trusts only the given certificates. */
export async function trustingFetch(url: string, request: RequestInit, trust: Trust): Promise<Response> {
  const { certificates: ca, isPinned } = trust;
  const pinned = isPinned ? new X509Certificate(ca).fingerprint256 : undefined;
  const dispatcher = new Agent({
    connect: {
      ca,
      // A trusted certificate needs no issuer here: the file may hold only the server's own one.
      allowPartialTrustChain: true,
      minVersion: "TLSv1.2",
      ...(pinned === undefined
        ? {}
        : {
            checkServerIdentity: (_host: string, { fingerprint256 }: { readonly fingerprint256: string }) =>
              fingerprint256 === pinned
                ? undefined
                : new Error("the server has another certificate than its state folder"),
          }),
    },
  });
  const answer = await fetch(url, { ...(request as unknown as Parameters<typeof fetch>[1]), dispatcher });
  const { status, statusText, headers, body } = answer;
  return new Response(body, { status, statusText, headers: [...headers] });
}
