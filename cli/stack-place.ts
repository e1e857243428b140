import { isStackArn, isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { valueAt } from "#domain/shared/json";
import type { DeployedStack, StackFound } from "#runtime/stack";
import { exitCodes, Failure } from "./failure.ts";
import type { World } from "./world.ts";

/** The stack that a flag or a variable names. */
export interface StackAsked {
  readonly name: string;
  /** The source of the name, for messages: `--stack`. */
  readonly source: string;
  /** The region of the flag. The default is the region of the environment, else of the profile. */
  readonly region?: string;
}

/**
 * Finds the server of a stack on AWS.
 *
 * @throws Failure with the command that helps.
 */
export async function stackPlace(
  asked: StackAsked,
  world: World,
): Promise<{ readonly url: string; readonly stack: DeployedStack; readonly found: string }> {
  const found = await lookUpStack(asked, world);
  if (found.kind !== "deployed") throw stackFailure(asked.name, found);
  const where = `in ${found.region}, account ${found.account}`;
  return { url: found.url, stack: found, found: `the stack ${found.name} ${where}, named by ${asked.source}` };
}

/**
 * Looks a stack up, with the region of the flag or of the environment.
 *
 * @throws Failure for an invalid name
 */
export async function lookUpStack({ source, ...asked }: StackAsked, { environment }: World): Promise<StackFound> {
  // AWS answers an invalid name with an error that does not name the problem.
  if (!isStackName(asked.name) && !isStackArn(asked.name))
    throw new Failure(exitCodes.wrongInput, `${source} "${asked.name}" is not the name of a stack.`, [
      `Expected for example: Lookout   (${stackNameForm})`,
    ]);
  // The import is lazy, because loading the AWS SDK takes longer than a local request.
  const { findStack } = await import("#runtime/stack");
  const region = [asked.region, environment.AWS_REGION, environment.AWS_DEFAULT_REGION].find(
    (text) => text !== undefined && text !== "",
  );
  return findStack({ name: asked.name, region });
}

type StackProblem = Exclude<StackFound, DeployedStack>;

/** Returns the failure of a stack that is not usable. */
function stackFailure(name: string, problem: StackProblem): Failure {
  const { region = "" } = problem;
  if (problem.kind === "not-found")
    return new Failure(exitCodes.unreachable, `This account has no stack ${name} in ${region}.`, [
      "For another region:   --region REGION, or AWS_REGION",
      "For another account:  AWS_PROFILE=NAME lookout …   (to see yours:  aws sts get-caller-identity)",
      `To see all stacks:    aws cloudformation list-stacks --region ${region}`,
    ]);
  if (problem.kind === "not-lookout")
    return new Failure(
      exitCodes.unreachable,
      `The stack ${name} in ${region} (${problem.status}) is not a Lookout stack: it has no output ${stackOutputs.apiUrl}.`,
      [
        `If its deployment failed, deploy it again:  LOOKOUT_STACK=${name} npx cdk deploy`,
        `To see its events:  aws cloudformation describe-stack-events --stack-name ${name} --region ${region}`,
      ],
    );
  return credentialsFailure(problem, `the stack ${name}`, "cloudformation:DescribeStacks");
}

type Refused = Exclude<StackProblem, { readonly kind: "not-found" | "not-lookout" }>;

/** Returns the failure of a request that AWS did not answer. `right` is the needed IAM action. */
export function credentialsFailure(refused: Refused, what: string, right: string): Failure {
  const { kind, detail, region = "the region" } = refused;
  switch (kind) {
    case "no-region":
      return new Failure(exitCodes.wrongInput, `The region of ${what} is unknown.`, [
        "Set the region:  --region eu-central-1, AWS_REGION, or `region` of the profile",
      ]);
    case "no-profile":
      return new Failure(exitCodes.wrongInput, `${detail}.`, [
        "To see all profiles:  aws configure list-profiles",
        "To create a profile:  aws configure sso --profile NAME",
      ]);
    case "no-credentials":
      return new Failure(exitCodes.refused, `No AWS credentials were found: ${detail}`, [
        "To sign in:  aws sso login --profile NAME, then AWS_PROFILE=NAME; or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      ]);
    case "expired-credentials":
      return new Failure(exitCodes.refused, `The AWS credentials have expired: ${detail}`, [
        "To sign in again:  aws sso login, or fetch new keys",
      ]);
    case "credentials-not-accepted":
      return new Failure(exitCodes.refused, `AWS does not accept the credentials: ${detail}`, [
        "To see who you are:  aws sts get-caller-identity",
        "If this fails too:   check AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and this machine's clock",
      ]);
    case "denied":
      return new Failure(exitCodes.refused, `AWS does not let you read ${what} in ${region}: ${detail}`, [
        `You need ${right}. To see who you are:  aws sts get-caller-identity`,
      ]);
    case "unreachable":
      return new Failure(exitCodes.unreachable, `AWS can't be reached in ${region}: ${detail}`, [
        `Check that ${region} is a region. To see all regions:  aws account list-regions`,
      ]);
    case "failed":
      return new Failure(exitCodes.unreachable, `AWS failed to answer in ${region}: ${detail}`, [
        "Try again. If the command fails again, check the proxy and AWS_ENDPOINT_URL.",
      ]);
  }
}

/**
 * Returns the failure of a caller without the IAM right to use the API, with a policy that grants
 * it.
 */
export function refusedByAws(stack: DeployedStack, answer: unknown): Failure {
  const message = awsMessage(answer);
  // This message contains the caller's name, which may match the patterns below.
  const isDenied = /not authorized/i.test(message);
  // This check comes first, because a wrong clock of this machine also makes signatures expire.
  if (!isDenied && /signature|security token .* invalid/i.test(message))
    return credentialsFailure({ kind: "credentials-not-accepted", detail: message }, "", "");
  if (!isDenied && /expired/i.test(message))
    return credentialsFailure({ kind: "expired-credentials", detail: message }, "", "");
  const { region, account, name } = stack;
  const statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: resourceOf(stack) };
  return new Failure(exitCodes.refused, `AWS does not let you use the API of the stack ${name}: ${message}`, [
    `To see who you are:  aws sts get-caller-identity   (the stack is in account ${account}, ${region})`,
    `Your role or user needs a policy with:  ${JSON.stringify(statement)}`,
  ]);
}

/** Returns the ARN of the stack's API. The API's id is the first label of its host name. */
function resourceOf({ url, partition, region, account }: DeployedStack): string {
  const [api = "*"] = new URL(url).hostname.split(".");
  return `arn:${partition}:execute-api:${region}:${account}:${api}/*`;
}

/**
 * Returns the message of AWS. API Gateway uses the key `message`, and other services use `Message`.
 */
function awsMessage(answer: unknown): string {
  const texts = [valueAt(answer, ["message"]), valueAt(answer, ["Message"])];
  return texts.find((text) => typeof text === "string") ?? "AWS gives no reason";
}
