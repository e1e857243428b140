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
import { listDeadLetterQueues } from "#adapters/cloudformation/dead-letter-queues";
import { countMessages } from "#adapters/sqs/waiting";
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

/** The parts of a stack that the caller's own credentials can read. */
export interface CallerSide {
  readonly identity: CallerIdentity;
  readonly bootstrap: BootstrapRead;
  /** The dead letters of the stack's queues. */
  readonly deadLetters: Awaited<ReturnType<typeof countMessages>>;
  /** The secret of each receiver, in the order of lookout.yaml. */
  readonly secrets: readonly (ReceiverSecret & { readonly found: Presence })[];
}

/**
 * Checks the caller's identity, the CDK bootstrap stack, the dead letters and the receivers'
 * secrets. The check does not use Lookout's API.
 */
export async function examineCallerSide({
  name,
  region,
  outputs,
}: Pick<DeployedStack, "name" | "region" | "outputs">): Promise<CallerSide> {
  const options = { credentials: ownCredentials(), region };
  const [identity, bootstrap, deadLetters, secrets] = await Promise.all([
    readCallerIdentity(options),
    readBootstrapVersion(options),
    countDeadLetters(name, options),
    Promise.all(receiverSecretsIn(outputs).map((secret) => findReceiverSecret(secret, options))),
  ]);
  return { identity, bootstrap, deadLetters, secrets };
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

async function countDeadLetters(stack: string, options: UserOptions): Promise<CallerSide["deadLetters"]> {
  const found = await listDeadLetterQueues(stack, options);
  return found.kind === "queues" ? countMessages(found.urls, options) : found;
}

/** The service that a signature names. */
function serviceOf(url: string): "lambda" | "execute-api" {
  return new URL(url).hostname.includes(".lambda-url.") ? "lambda" : "execute-api";
}
