import { type AccountApi, accountApi, type StoredAccount } from "#adapters/kubernetes/account-api";
import type { EpochMs } from "#domain/shared/time";
import { readIfThere } from "../whole-file.ts";
import { type AdminChoice, openAdmin } from "./admin.ts";
import { accountFiles, type AccountPlace, writePrivate } from "./files.ts";
import { type AccountRefusal, fromCluster } from "./refusal.ts";
import { notAdded, otherIdentity } from "./remove.ts";
import { endOf, lifeOf } from "./token-renewal.ts";

/** A token that was renewed. `until` is the end of its life. */
export interface RenewedToken {
  readonly kind: "renewed";
  readonly tokenFile: string;
  readonly until: EpochMs | undefined;
}

/**
 * Renews the token of a cluster's account now, with its old token, or with the user's kubeconfig if
 * a flag names one.
 *
 * @throws PermanentError for an unusable kubeconfig, and for an invalid `lookout.yaml`
 */
export async function renewToken(
  name: string,
  choice: AdminChoice,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<RenewedToken | AccountRefusal> {
  const files = await accountFiles(name, place);
  const { account, accountFile } = files;
  if (account === undefined || accountFile === undefined) return notAdded(name, files);
  if (choice.kubeconfig === undefined && choice.context === undefined) {
    const withOwnRights = `To renew it with your own rights:  lookout cluster renew ${name} --context ${account.context}`;
    return renewWith(accountApi({ name, file: accountFile }), account, [withOwnRights], signal);
  }
  const admin = await openAdmin(name, choice, place, signal);
  if (admin.kind === "refused") return admin;
  if (admin.identity === account.identity) return renewWith(admin.api, account, [], signal);
  await admin.api.close();
  return otherIdentity(name, admin.api.context);
}

/** Renews the token, and closes the connection. */
async function renewWith(
  api: AccountApi,
  account: StoredAccount,
  advice: readonly string[],
  signal: AbortSignal,
): Promise<RenewedToken | AccountRefusal> {
  const { tokenFile } = account;
  try {
    const answer = await api.token(account, lifeOf((await readIfThere(tokenFile)) ?? "") / 1_000, signal);
    if (answer.kind !== "token") return fromCluster(answer, ...advice);
    await writePrivate(tokenFile, answer.value);
    return { kind: "renewed", tokenFile, until: endOf(answer.value) };
  } finally {
    await api.close();
  }
}
