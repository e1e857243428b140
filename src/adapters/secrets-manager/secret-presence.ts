import {
  DescribeSecretCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";
import type { Presence } from "../shared/presence.ts";

/** Looks whether there is a secret of Secrets Manager, without reading it. One that is to be deleted counts as missing. */
export async function findSecret(name: string, options: CallerOptions): Promise<Presence> {
  const client = new SecretsManagerClient({ ...callerPatience, ...options });
  return refusalOr(() => look(client, name)).finally(() => client.destroy());
}

async function look(client: SecretsManagerClient, name: string): Promise<Presence> {
  try {
    const { DeletedDate: deleted } = await client.send(new DescribeSecretCommand({ SecretId: name }));
    return deleted === undefined ? { kind: "there" } : { kind: "missing" };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { kind: "missing" };
    throw error;
  }
}
