import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { awsClientOptions } from "../shared/aws.ts";
import { keptSecrets, notRead, withoutLineBreak } from "../shared/kept-secrets.ts";

/** Reads parameters of SSM, decrypted. A name may be an ARN. */
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
        why: `there is no parameter ${name}: aws ssm put-parameter --type SecureString --name ${name} --value file:///dev/stdin`,
      };
    return notRead(
      error,
      "SSM",
      `the parameter ${name} may not be read: allow ssm:GetParameter on it, and kms:Decrypt on the key that it is encrypted with`,
    );
  }
}
