/** Credentials of AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/**
 * Returns valid credentials. Clients call the provider for each request. The provider rejects with
 * the errors of the SDK.
 */
export type CredentialProvider = () => Promise<AwsCredentials>;

/** The time limits of a function's requests to AWS. */
export const awsClientOptions = {
  maxAttempts: 3,
  // Without `throwOnRequestTimeout` the SDK only logs a slow request and waits forever.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** The time limits for a user who waits for a command: fewer attempts, each with more time. */
export const userClientOptions = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** The user's credentials and region. */
export interface UserOptions {
  readonly credentials: CredentialProvider;
  readonly region: string;
}
