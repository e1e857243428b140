import { isObject, parseJson } from "#domain/shared/json";
import type { AwsGet, AwsHost } from "../shared/aws-get.ts";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";

/** The concurrent runs of functions that an account may have in a region. */
export type ConcurrencyRead =
  | {
      readonly kind: "concurrency";
      /** The quota of all functions together. */
      readonly all: number;
      /** The part of the quota that no function reserves. */
      readonly unreserved: number;
    }
  | AwsRefusal;

/**
 * Reads the concurrency of Lambda in an account and region.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html
 */
export async function readConcurrency({ url }: AwsHost, get: AwsGet): Promise<ConcurrencyRead> {
  return callOnce(noClient, async () => {
    const answer = parseJson(await get(`${url}/2016-08-19/account-settings`));
    const limit = isObject(answer) && isObject(answer["AccountLimit"]) ? answer["AccountLimit"] : {};
    const { ConcurrentExecutions: all, UnreservedConcurrentExecutions: unreserved } = limit;
    if (typeof all === "number" && typeof unreserved === "number") return { kind: "concurrency", all, unreserved };
    return { kind: "failed", detail: "the answer has no limit of concurrent executions" };
  });
}

const noClient = { destroy: () => undefined };
