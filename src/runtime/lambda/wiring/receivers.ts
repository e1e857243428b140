import { loadReader } from "#adapters/webhook/readers";
import { receiversWithSecrets } from "#adapters/webhook/receivers";
import { receiversWithAliases } from "#app/detect/aliases";
import { environment as variables } from "#contracts/aws/environment";
import { aliasesOf } from "#contracts/config/registry-host";
import { receiverSecretPlace } from "#contracts/config/secret-places";
import { awsSecrets } from "../../aws-secrets.ts";
import { variable, type WiringPart } from "./part.ts";

/** Wires the receivers of notifications. */
export const receivers: WiringPart<"receivers"> = ({ configuration, environment, clock }) => {
  const secretAt = awsSecrets();
  const stack = variable(environment, variables.stack, "LookoutFunction");
  const known = receiversWithSecrets(
    configuration.receivers,
    (receiver) => secretAt(receiverSecretPlace(receiver, stack)),
    clock,
  );
  const loaded = Promise.all(configuration.receivers.map(({ kind }) => loadReader(kind)));
  const receiversOfAll = receiversWithAliases(known, aliasesOf(configuration.registries));
  return async () => {
    await loaded;
    return { receivers: receiversOfAll };
  };
};
