import { receiversWithSecrets } from "#adapters/webhook/receivers";
import { receiversWithAliases } from "#app/aliases";
import { environment as variables } from "#contracts/environment";
import { aliasesOf } from "#contracts/registry-host";
import { receiverSecretPlace } from "#contracts/secret-places";
import { awsSecrets } from "../../aws-secrets.ts";
import { variable, type WiringPart } from "./part.ts";

/** Understands the notifications of registries. */
export const receivers: WiringPart<"receivers"> = ({ configuration, environment }) => {
  const secretAt = awsSecrets();
  const stack = variable(environment, variables.stack, "LookoutFunction");
  const known = receiversWithSecrets(configuration.receivers, (receiver) =>
    secretAt(receiverSecretPlace(receiver, stack)),
  );
  const receiversOfAll = receiversWithAliases(known, aliasesOf(configuration.registries));
  return () => ({ receivers: receiversOfAll });
};
