/** The patterns and inputs of rules, in the CDK's form. */
import { RuleTargetInput, type RuleTargetInputProperties } from "aws-cdk-lib/aws-events";
import type { EventPattern } from "#contracts/messages/events";

/**
 * The input of a target, exactly as `src/contracts` defines the input. The tests run the same
 * transforms.
 */
export class AsWritten extends RuleTargetInput {
  readonly #properties: RuleTargetInputProperties;

  constructor(properties: RuleTargetInputProperties) {
    super();
    this.#properties = properties;
  }

  override bind(): RuleTargetInputProperties {
    return this.#properties;
  }
}

/** Returns a pattern of the contracts in the CDK's form. */
export function deployedPattern({ source, "detail-type": detailType, account, detail }: EventPattern) {
  return {
    source: [...source],
    detailType: [...detailType],
    ...(account === undefined ? {} : { account: [...account] }),
    ...(detail === undefined ? {} : { detail }),
  };
}
