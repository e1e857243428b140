import { requestSigner, type SignRequest } from "#adapters/signature-v4/signer";
import { ownCredentials } from "#adapters/sts/own-credentials";
import { type BootstrapRead, readBootstrapVersion } from "#adapters/ssm/bootstrap-version";
import { type CallerIdentity, readCallerIdentity } from "#adapters/sts/caller-identity";
import type { UserOptions } from "#adapters/shared/aws";
import type { Presence } from "#adapters/shared/presence";
import { findSecret } from "#adapters/secrets-manager/secret-presence";
import { findParameter } from "#adapters/ssm/parameter-presence";
import { type ReceiverSecret, receiverSecretsOf } from "#contracts/config/receiver-secrets";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { readTableSettings, type TableSettings } from "#adapters/dynamodb/table-settings";
import { countMessages, type WaitingMessages } from "#adapters/sqs/waiting";
import type { AwsRefusal } from "#adapters/shared/aws-errors";
import { readStack, type StackName, type StackRead } from "#adapters/cloudformation/stack";
import { PermanentError } from "#ports/errors";

/** A Lookout stack on AWS. */
export interface DeployedStack extends Omit<Extract<StackRead, { kind: "stack" }>, "kind"> {
  readonly kind: "deployed";
  readonly name: string;
  /** The URL of the stack's API, without a slash at the end. */
  readonly url: string;
  /** Signs a request with the credentials of this process. */
  readonly sign: SignRequest;
}

/** The result of a search for a stack. */
export type StackFound =
  | DeployedStack
  /** The stack has no output with the URL of an API. */
  | { readonly kind: "not-lookout"; readonly region: string; readonly status: string }
  | Exclude<StackRead, { kind: "stack" }>;

/** Finds the API of a stack in its outputs, with the credentials of this process. */
export async function findStack(asked: StackName): Promise<StackFound> {
  const credentials = ownCredentials();
  const read = await readStack(asked, credentials);
  if (read.kind !== "stack") return read;
  const { region, status, outputs } = read;
  const url = outputs[stackOutputs.apiUrl];
  if (url === undefined || !URL.canParse(url)) return { kind: "not-lookout", region, status };
  const sign = requestSigner(credentials, { region, service: serviceOf(url) });
  return { ...read, kind: "deployed", name: asked.name, url: url.replace(/\/+$/, ""), sign };
}

/** The number of a stack's kept messages. `no-queue`: another version deployed the stack. */
export type KeptMessages = ((WaitingMessages | AwsRefusal) & { readonly url: string }) | { readonly kind: "no-queue" };

/** The parts of a stack that the caller's own credentials can read. */
export interface CallerSide {
  readonly identity: CallerIdentity;
  readonly bootstrap: BootstrapRead;
  /** The settings of the table. `no-table`: another version deployed the stack. */
  readonly table: ((TableSettings | AwsRefusal) & { readonly name: string }) | { readonly kind: "no-table" };
  /** The kept messages of the stack. */
  readonly kept: KeptMessages;
  /** The secret of each receiver, in the order of lookout.yaml. */
  readonly secrets: readonly (ReceiverSecret & { readonly found: Presence })[];
}

/**
 * Checks the caller's identity, the CDK bootstrap stack, the table, the kept messages and the receivers'
 * secrets. The check does not use Lookout's API.
 */
export async function examineCallerSide({
  region,
  outputs,
}: Pick<DeployedStack, "region" | "outputs">): Promise<CallerSide> {
  const options = { credentials: ownCredentials(), region };
  const [identity, bootstrap, table, kept, secrets] = await Promise.all([
    readCallerIdentity(options),
    readBootstrapVersion(options),
    settingsOf(outputs[stackOutputs.tableName], options),
    countKept(outputs[stackOutputs.keptQueueUrl], options),
    Promise.all(receiverSecretsIn(outputs).map((secret) => findReceiverSecret(secret, options))),
  ]);
  return { identity, bootstrap, table, kept, secrets };
}

/**
 * Returns the secrets in a stack's outputs.
 *
 * @throws PermanentError for the format of another version
 */
function receiverSecretsIn(outputs: DeployedStack["outputs"]): readonly ReceiverSecret[] {
  try {
    return receiverSecretsOf(outputs[stackOutputs.receiverSecrets]);
  } catch (error) {
    const output = stackOutputs.receiverSecrets;
    throw new PermanentError(
      `the stack's output ${output} can't be parsed: use the CLI version that deployed the stack`,
      {
        cause: error,
      },
    );
  }
}

async function findReceiverSecret(secret: ReceiverSecret, options: UserOptions): Promise<CallerSide["secrets"][0]> {
  const { place } = secret;
  const found = await ("parameter" in place
    ? findParameter(place.parameter, options)
    : findSecret(place.secret, options));
  return { ...secret, found };
}

async function settingsOf(name: string | undefined, options: UserOptions): Promise<CallerSide["table"]> {
  return name === undefined ? { kind: "no-table" } : { ...(await readTableSettings(name, options)), name };
}

async function countKept(url: string | undefined, options: UserOptions): Promise<KeptMessages> {
  return url === undefined ? { kind: "no-queue" } : { ...(await countMessages(url, options)), url };
}

/** The service that a signature names. */
function serviceOf(url: string): "lambda" | "execute-api" {
  return new URL(url).hostname.includes(".lambda-url.") ? "lambda" : "execute-api";
}
