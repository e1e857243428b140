import { loadReader } from "#adapters/webhook/readers";
import { receiversWithSecrets } from "#adapters/webhook/receivers";
import { receiversWithAliases } from "#app/detect/aliases";
import { environment as names } from "#contracts/aws/environment";
import { aliasesOf } from "#contracts/config/registry-host";
import { receiverSecret, secretOf } from "#contracts/config/secret-places";
import type { WiringPart } from "./part.ts";
import { stackSecrets } from "./secrets.ts";

/** Wires the receivers of notifications. */
export const receivers: WiringPart<"receivers"> = ({ configuration, environment, shared, clock }) => {
  const readSecret = shared(stackSecrets);
  // The stack has checked the added receivers.
  const added = JSON.parse(environment[names.addedReceivers] ?? "[]") as typeof configuration.receivers;
  const all = [...configuration.receivers, ...added];
  const known = receiversWithSecrets(all, (receiver) => readSecret(secretOf(receiverSecret, receiver)), clock);
  const loaded = Promise.all(all.map(({ kind }) => loadReader(kind)));
  const receiversOfAll = receiversWithAliases(known, aliasesOf(configuration.registries));
  return async () => {
    await loaded;
    return { receivers: receiversOfAll };
  };
};
