import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { ReadSecret } from "#ports/secrets";
import { awsClientOptions } from "../shared/aws.ts";
import { secretsOf } from "../shared/kept-secrets.ts";

/** Returns a reader of SSM's parameters, which are decrypted. A name may be an ARN. */
export function parameterSecrets(): ReadSecret {
  const client = new SSMClient(awsClientOptions);
  return secretsOf({
    name: "SSM",
    noun: "parameter",
    valueOf: async (name) =>
      (await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }))).Parameter?.Value,
    notFound: "ParameterNotFound",
    create: (name) => `aws ssm put-parameter --type SecureString --name ${name} --value file:///dev/stdin`,
    right: "ssm:GetParameter",
  });
}
