import { accountApi, type StoredAccount, storedAccount } from "#adapters/kubernetes/account-api";
import { tokenTimes } from "#adapters/kubernetes/expiry";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { type DurationMs, durationMs, type EpochMs, epochMs, hours, minutes } from "#domain/shared/time";
import { readIfThere, writeWhole } from "../whole-file.ts";

/** The life of a token that names no times. */
const usualTokenLife = hours(30 * 24);

/** The shortest life that the API server accepts. */
const shortestTokenLife = minutes(10);

/** The result of a renewal. */
export type Renewal =
  | { readonly kind: "not-due" }
  | { readonly kind: "renewed"; readonly until: EpochMs | undefined }
  /** The token stays. `until` is the end of its life, if it is known. */
  | { readonly kind: "failed"; readonly detail: string; readonly until: EpochMs | undefined };

/** Returns whether half of a token's life is over. A token without times is never due. */
export function isRenewalDue(token: string, now: EpochMs): boolean {
  const times = tokenTimes(token.trim());
  return times !== undefined && now >= (times.issuedAt.getTime() + times.endsAt.getTime()) / 2;
}

/**
 * Renews the token of a cluster's account after half of its life, with the account's own rights.
 * Only kubeconfigs of `lookout cluster add` have such an account.
 *
 * @throws the system error if the new token can't be written
 */
export async function renewIfDue(
  { name, kubeconfig }: Pick<ClusterConfiguration, "name" | "kubeconfig">,
  now: EpochMs,
  signal: AbortSignal,
): Promise<Renewal> {
  const account = kubeconfig === undefined ? undefined : readAccount(name, kubeconfig);
  if (account === undefined || kubeconfig === undefined) return { kind: "not-due" };
  const token = await readIfThere(account.tokenFile);
  if (token === undefined || !isRenewalDue(token, now)) return { kind: "not-due" };
  const api = accountApi({ name, file: kubeconfig });
  try {
    const answer = await api.token(account, lifeOf(token) / 1_000, signal);
    if (answer.kind !== "token") return { kind: "failed", detail: answer.detail, until: endOf(token) };
    await writeWhole(account.tokenFile, answer.value);
    return { kind: "renewed", until: endOf(answer.value) };
  } finally {
    await api.close();
  }
}

/** Returns the account; undefined for other kubeconfigs, and for an unusable one, whose sync fails. */
function readAccount(name: string, file: string): StoredAccount | undefined {
  try {
    return storedAccount({ name, file });
  } catch {
    return undefined;
  }
}

/** Returns the life of a token, or the usual life for a token without times. */
export function lifeOf(token: string): DurationMs {
  const times = tokenTimes(token.trim());
  if (times === undefined) return usualTokenLife;
  return durationMs(Math.max(times.endsAt.getTime() - times.issuedAt.getTime(), shortestTokenLife));
}

/** Returns the end of a token's life; undefined for a token without times. */
export function endOf(token: string): EpochMs | undefined {
  const end = tokenTimes(token.trim())?.endsAt.getTime();
  return end === undefined ? undefined : epochMs(end);
}

/** A token that can't be written must not stop the renewals of other tokens. */
function unwritten(error: unknown): Renewal {
  return { kind: "failed", detail: error instanceof Error ? error.message : String(error), until: undefined };
}

/** The input of {@link tokenRenewals}. */
export interface TokenRenewals {
  readonly clusters: () => readonly Pick<ClusterConfiguration, "name" | "kubeconfig">[];
  readonly now: () => EpochMs;
  readonly notice: (text: string, level?: "error") => void;
}

/** Returns a function that renews all due tokens. Each different failure is told once. */
export function tokenRenewals({ clusters, now, notice }: TokenRenewals): () => Promise<void> {
  const told = new Map<string, string>();
  return async () => {
    for (const cluster of clusters()) {
      const { name } = cluster;
      const renewal = await renewIfDue(cluster, now(), AbortSignal.timeout(30_000)).catch(unwritten);
      if (renewal.kind === "not-due") continue;
      const until = renewal.until === undefined ? "" : ` until ${new Date(renewal.until).toISOString()}`;
      if (renewal.kind === "renewed") {
        told.delete(name);
        notice(`the token of cluster ${name} is renewed, and valid${until}`);
      } else if (told.get(name) !== renewal.detail) {
        told.set(name, renewal.detail);
        notice(
          `the token of cluster ${name} can't be renewed, and is valid${until}: ${renewal.detail}; to renew it: lookout cluster renew ${name} --context CONTEXT`,
          "error",
        );
      }
    }
  };
}
