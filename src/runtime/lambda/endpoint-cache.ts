import { PermanentError } from "#ports/errors";

/**
 * Takes the place of the AWS clients' cache of discovered endpoints where functions are built (lib/bundle.ts). DynamoDB's client makes one,
 * and uses it only where discovery of endpoints is switched on.
 */
export class EndpointCache {
  get(): never {
    throw new PermanentError("functions discover no endpoints: unset AWS_ENABLE_ENDPOINT_DISCOVERY");
  }
}
