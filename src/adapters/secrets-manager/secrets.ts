import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { awsClientOptions } from "../shared/aws.ts";
import { keptSecrets, notRead, withoutLineBreak } from "../shared/kept-secrets.ts";

/** Returns a reader of Secrets Manager's secrets, each as one text. A name may be an ARN. */
export function managedSecrets(): ReadSecret {
  const client = new SecretsManagerClient(awsClientOptions);
  return keptSecrets((id) => read(client, id));
}

async function read(client: SecretsManagerClient, id: string): Promise<SecretRead> {
  try {
    const { SecretString: value = "" } = await client.send(new GetSecretValueCommand({ SecretId: id }));
    return value.trim() === ""
      ? { kind: "missing", why: `the secret ${id} of Secrets Manager has no text` }
      : { kind: "secret", value: withoutLineBreak(value) };
  } catch (error) {
    if (error instanceof ResourceNotFoundException)
      return {
        kind: "missing",
        why: `Secrets Manager has no secret ${id}: aws secretsmanager create-secret --name ${id} --secret-string file:///dev/stdin`,
      };
    return notRead(
      error,
      "Secrets Manager",
      `Secrets Manager denied access to the secret ${id}: allow secretsmanager:GetSecretValue on it, and kms:Decrypt on its key`,
    );
  }
}
