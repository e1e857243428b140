import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { awsClientOptions, type AwsCredentials, type CredentialProvider } from "../shared/aws.ts";
import { memoizeFor } from "../shared/memoize-for.ts";

/** A role, and the credentials that assume it. */
export interface AssumedRole {
  readonly roleArn: string;
  readonly region: string;
  readonly by: CredentialProvider;
}

/** The time before the expiry at which credentials are replaced. */
const earlyMs = 5 * 60_000;
/** The duration of a session: AWS's maximum when a role assumes a role. */
const seconds = 3_600;

/**
 * Returns a provider of a role's credentials, cached until five minutes before they expire. The
 * provider rejects with the errors of the SDK.
 */
export function assumedRole({ roleArn, region, by }: AssumedRole): CredentialProvider {
  const client = new STSClient({ ...awsClientOptions, region, credentials: by });
  const current = memoizeFor(() => assume(client, roleArn), {
    keptMs: ({ expiration }) => Math.max(0, (expiration?.getTime() ?? 0) - Date.now() - earlyMs),
    freshMs: 0,
    // Only the expiration of credentials is an instant of the wall clock.
    monotonicMs: () => performance.now(),
  });
  return () => current(false);
}

async function assume(client: STSClient, roleArn: string): Promise<AwsCredentials> {
  const { Credentials: given } = await client.send(
    new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: "lookout", DurationSeconds: seconds }),
  );
  if (given?.AccessKeyId === undefined || given.SecretAccessKey === undefined)
    throw Object.assign(new Error("STS answered without credentials"), { name: "NoCredentialsInAnswer" });
  return {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretAccessKey,
    ...(given.SessionToken === undefined ? {} : { sessionToken: given.SessionToken }),
    ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
  };
}
