import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { awsClientOptions } from "../shared/aws.ts";
import { keptSecrets, notRead, withoutLineBreak } from "../shared/kept-secrets.ts";

/** Returns a reader of SSM's parameters, which are decrypted. A name may be an ARN. */
export function parameterSecrets(): ReadSecret {
  const client = new SSMClient(awsClientOptions);
  return keptSecrets((name) => read(client, name));
}

async function read(client: SSMClient, name: string): Promise<SecretRead> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    const value = Parameter?.Value ?? "";
    return value.trim() === ""
      ? { kind: "missing", why: `the parameter ${name} is empty` }
      : { kind: "secret", value: withoutLineBreak(value) };
  } catch (error) {
    if (error instanceof ParameterNotFound)
      return {
        kind: "missing",
        why: `SSM has no parameter ${name}: aws ssm put-parameter --type SecureString --name ${name} --value file:///dev/stdin`,
      };
    return notRead(
      error,
      "SSM",
      `SSM denied access to the parameter ${name}: allow ssm:GetParameter on it, and kms:Decrypt on its key`,
    );
  }
}
