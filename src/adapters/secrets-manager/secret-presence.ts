import {
  DescribeSecretCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";
import { type Presence, thereWithKey } from "../shared/presence.ts";

/**
 * Returns whether a secret of Secrets Manager exists, without reading its value. The result is
 * `missing` for a secret that is scheduled for deletion.
 */
export async function findSecret(name: string, options: UserOptions): Promise<Presence> {
  const client = new SecretsManagerClient({ ...userClientOptions, ...options });
  return callOnce(client, () => presenceOf(client, name));
}

async function presenceOf(client: SecretsManagerClient, name: string): Promise<Presence> {
  try {
    const { DeletedDate: deleted, KmsKeyId: key } = await client.send(new DescribeSecretCommand({ SecretId: name }));
    return deleted === undefined ? thereWithKey(key, "alias/aws/secretsmanager") : { kind: "missing" };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { kind: "missing" };
    throw error;
  }
}
