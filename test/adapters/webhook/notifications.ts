import { createHmac } from "node:crypto";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import { receiverKind, type ReceiverKind, receiverKinds } from "#contracts/config/receiver-kinds";
import { configuredRegistry, kindOf, webhookCases } from "./fixtures.ts";

/** All kinds of receivers. */
export const allKinds = Object.keys(receiverKinds) as readonly ReceiverKind[];

/** A recorded notification without its proof. */
export interface Notification {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request proves itself with, for a header or the address. */
export interface Proof {
  readonly header?: readonly [name: string, value: string];
  readonly query?: readonly [name: string, value: string];
}

/**
 * The recorded pushes of a kind that are sent to a webhook, at least one; first those that must be
 * taken for pushes.
 */
export function recordedPushes(kind: ReceiverKind): readonly Notification[] {
  const { header } = receiverKind(kind).authentication;
  const found = webhookCases().filter(
    (one) =>
      kindOf(one) === kind &&
      one.folder !== "hostile" &&
      one.request.method === "POST" &&
      one.accepted[0]?.outcome === "push",
  );
  return found
    .toSorted((one, other) => one.accepted.length - other.accepted.length)
    .map(({ request }) => {
      const proofs = ["authorization", "content-length", header?.toLowerCase()];
      const headers = Object.entries(request.headers).filter(([name]) => !proofs.includes(name.toLowerCase()));
      const { body } = request;
      return { headers: Object.fromEntries(headers), body: typeof body === "string" ? body : JSON.stringify(body) };
    });
}

/** The entry of `lookout.yaml` of a receiver, with its secret. */
export function entryOf(name: string, kind: ReceiverKind, secret: string | undefined): ReceiverSettings {
  return {
    name,
    kind,
    secret,
    ...(receiverKind(kind).namesRegistry === "always" ? {} : { registry: configuredRegistry }),
  };
}

/** A secret of a receiver that nobody else has. */
export const secretOf = (kind: ReceiverKind, whose: string): string =>
  kind === "zot" ? `zot:${whose}-secret-of-${kind}` : `${whose}-secret-of-${kind}`;

/** The proof that the kind's senders carry. */
export function proofOf(kind: ReceiverKind, secret: string, body: Uint8Array | string): Proof {
  const { scheme, header, query = "", prefix = "" } = receiverKind(kind).authentication;
  const signed = (algorithm: string): string => createHmac(algorithm, secret).update(body).digest("hex");
  const value = {
    plain: () => secret,
    bearer: () => `Bearer ${secret}`,
    basic: () => `Basic ${btoa(secret)}`,
    hmac: () => `sha256=${signed("sha256")}`,
    "hmac-sha1": () => prefix + signed("sha1"),
    "hmac-sha256": () => prefix + signed("sha256"),
    "hmac-sha512": () => prefix + signed("sha512"),
  }[scheme]();
  return header === undefined ? { query: [query, value] } : { header: [header, value] };
}
