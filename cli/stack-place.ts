import { isStackArn, isStackName, stackNameForm } from "#contracts/aws/stack-name";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { DeployedStack, StackFound } from "#runtime/stack";
import { exitCodes, Failure } from "./failure.ts";
import type { World } from "./world.ts";

/** Which stack is meant. */
export interface StackAsked {
  readonly name: string;
  /** As it was typed; absent: that of the environment, else of the profile. */
  readonly region?: string;
}

/** A Lookout that is deployed, and how it was found. */
export interface StackPlace {
  readonly url: string;
  readonly stack: DeployedStack;
  readonly found: string;
}

/**
 * Finds a Lookout that is deployed.
 *
 * @param source - what named the stack, for people: `--stack`
 * @throws Failure that says what is missing, and the command that mends it.
 */
export async function stackPlace(asked: StackAsked, source: string, { environment }: World): Promise<StackPlace> {
  // AWS says of such a name only that the request is not valid.
  if (!isStackName(asked.name) && !isStackArn(asked.name))
    throw new Failure(exitCodes.wrongInput, `${source} "${asked.name}" is not the name of a stack.`, [
      `Expected for example: Lookout   (${stackNameForm})`,
    ]);
  // Loaded when it is needed: what speaks to AWS takes longer to load than a local Lookout to answer.
  const { findStack } = await import("#runtime/stack");
  const region = [asked.region, environment.AWS_REGION, environment.AWS_DEFAULT_REGION].find(
    (text) => text !== undefined && text !== "",
  );
  const found = await findStack({ name: asked.name, region });
  if (found.kind !== "deployed") throw stackFailure(asked.name, found);
  const where = `in ${found.region}, account ${found.account}`;
  return { url: found.url, stack: found, found: `the stack ${found.name} ${where}, named by ${source}` };
}

type StackTrouble = Exclude<StackFound, DeployedStack>;

/** Says why a stack can't be asked, and what to do. */
export function stackFailure(name: string, trouble: StackTrouble): Failure {
  const { region = "" } = trouble;
  if (trouble.kind === "not-found")
    return new Failure(exitCodes.unreachable, `There is no stack ${name} in ${region} in this account.`, [
      "In another region:     --region REGION, or AWS_REGION",
      "In another account:    AWS_PROFILE=NAME lookout …   (who you are now:  aws sts get-caller-identity)",
      `To see what there is:  aws cloudformation list-stacks --region ${region}`,
    ]);
  if (trouble.kind === "not-lookout")
    return new Failure(
      exitCodes.unreachable,
      `The stack ${name} in ${region} (${trouble.status}) does not say where Lookout's API is: it has no output ${stackOutputs.apiUrl}.`,
      [
        `It is another program's, was never deployed to its end, or by an earlier Lookout:  LOOKOUT_STACK=${name} npx cdk deploy`,
        `To see what happened:  aws cloudformation describe-stack-events --stack-name ${name} --region ${region}`,
      ],
    );
  return credentialsFailure(trouble, `the stack ${name}`, "cloudformation:DescribeStacks");
}

type Refused = Exclude<StackTrouble, { readonly kind: "not-found" | "not-lookout" }>;

/** Says why AWS did not answer, and what to do. `right`: what the caller has to be allowed. */
export function credentialsFailure(refused: Refused, what: string, right: string): Failure {
  const { kind, detail, region = "the region" } = refused;
  switch (kind) {
    case "no-region":
      return new Failure(exitCodes.wrongInput, `It is not said in which region ${what} is.`, [
        "Name it:  --region eu-central-1, AWS_REGION, or `region` of the profile",
      ]);
    case "no-profile":
      return new Failure(exitCodes.wrongInput, `${detail}.`, [
        "To see those that are there:  aws configure list-profiles",
        "To make this one:             aws configure sso --profile NAME",
      ]);
    case "no-credentials":
      return new Failure(exitCodes.refused, `There are no AWS credentials here: ${detail}`, [
        "To sign in:  aws sso login --profile NAME, then AWS_PROFILE=NAME; or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      ]);
    case "expired-credentials":
      return new Failure(exitCodes.refused, `The AWS credentials have expired: ${detail}`, [
        "To sign in again:  aws sso login, or fetch new keys",
      ]);
    case "credentials-not-accepted":
      return new Failure(exitCodes.refused, `AWS does not accept the credentials: ${detail}`, [
        "Who you are now:  aws sts get-caller-identity",
        "If it fails too:  look at AWS_PROFILE, at AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, and at this machine's clock",
      ]);
    case "denied":
      return new Failure(exitCodes.refused, `AWS does not let you read ${what} in ${region}: ${detail}`, [
        `You need ${right}. Who you are now:  aws sts get-caller-identity`,
      ]);
    case "unreachable":
      return new Failure(exitCodes.unreachable, `AWS can't be reached in ${region}: ${detail}`, [
        `Is ${region} a region? To see all:  aws account list-regions`,
      ]);
    case "failed":
      return new Failure(exitCodes.unreachable, `AWS does not answer in ${region} as it should: ${detail}`, [
        "It may be better soon. If it stays so, something else may answer in AWS's place: a proxy, or AWS_ENDPOINT_URL",
      ]);
  }
}

/** Says what to allow to a caller whom IAM keeps from the API. */
export function refusedByAws(stack: DeployedStack, answer: unknown): Failure {
  const said = saidOf(answer);
  // Who lacks a right is named with it, whatever the name.
  const mayNot = /not authorized/i.test(said);
  // Before what has expired: a signature does when the clock of who signs is off.
  if (!mayNot && /signature|security token .* invalid/i.test(said))
    return credentialsFailure({ kind: "credentials-not-accepted", detail: said }, "", "");
  if (!mayNot && /expired/i.test(said))
    return credentialsFailure({ kind: "expired-credentials", detail: said }, "", "");
  const { region, account, name } = stack;
  const statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: resourceOf(stack) };
  return new Failure(exitCodes.refused, `AWS does not let you ask the Lookout of the stack ${name}: ${said}`, [
    `Who you are now:  aws sts get-caller-identity   (the stack is in account ${account}, ${region})`,
    `Your role or user needs a policy with:  ${JSON.stringify(statement)}`,
  ]);
}

/** The API's id is the first part of its host. */
function resourceOf({ url, partition, region, account }: DeployedStack): string {
  const [api = "*"] = new URL(url).hostname.split(".");
  return `arn:${partition}:execute-api:${region}:${account}:${api}/*`;
}

/** API Gateway writes `message`, other services `Message`. */
function saidOf(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return "it does not say why";
  const { message, Message } = answer as { readonly message?: unknown; readonly Message?: unknown };
  return [message, Message].find((text) => typeof text === "string") ?? "it does not say why";
}
