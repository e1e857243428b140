import { loadReader } from "#adapters/webhook/readers";
import { receiversWithSecrets } from "#adapters/webhook/receivers";
import { receiversWithAliases } from "#app/detect/aliases";
import { aliasesOf } from "#contracts/config/registry-host";
import { receiverSecret, secretOf } from "#contracts/config/secret-places";
import type { WiringPart } from "./part.ts";
import { stackSecrets } from "./secrets.ts";

/** Wires the receivers of notifications. */
export const receivers: WiringPart<"receivers"> = ({ configuration, shared, clock }) => {
  const readSecret = shared(stackSecrets);
  const known = receiversWithSecrets(
    configuration.receivers,
    (receiver) => readSecret(secretOf(receiverSecret, receiver)),
    clock,
  );
  const loaded = Promise.all(configuration.receivers.map(({ kind }) => loadReader(kind)));
  const receiversOfAll = receiversWithAliases(known, aliasesOf(configuration.registries));
  return async () => {
    await loaded;
    return { receivers: receiversOfAll };
  };
};
