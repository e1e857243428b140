import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { ReadSecret } from "#ports/secrets";
import { awsClientOptions } from "../shared/aws.ts";
import { secretsOf } from "../shared/kept-secrets.ts";

/** Returns a reader of Secrets Manager's secrets, each as one text. A name may be an ARN. */
export function managedSecrets(): ReadSecret {
  const client = new SecretsManagerClient(awsClientOptions);
  return secretsOf({
    name: "Secrets Manager",
    noun: "secret",
    valueOf: async (name) => (await client.send(new GetSecretValueCommand({ SecretId: name }))).SecretString,
    notFound: "ResourceNotFoundException",
    create: (name) => `aws secretsmanager create-secret --name ${name} --secret-string file:///dev/stdin`,
    right: "secretsmanager:GetSecretValue",
  });
}
