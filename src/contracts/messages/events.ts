import type { DomainEvent } from "#domain/update/events";
import type { ImagePushed } from "#domain/image/push";

/*
 * What is on the bus. `source`, `detail-type` and `detail.schemaVersion` are part of the contract: others have rules for them. An event
 * may gain members at any time, and whoever reads one passes over those it does not know; what else changes is a new schemaVersion.
 */

/** The `source` of everything that Lookout publishes. */
export const eventSource = "lookout";

/** The form of what this Lookout publishes, and the newest that it reads. */
export const eventSchemaVersion = 1;

/** Returns the `detail` of an event on the bus. The event's name is the `detail-type`. */
export function eventDetail<Event extends DomainEvent>(
  event: Event,
): Event & { readonly schemaVersion: typeof eventSchemaVersion } {
  return { schemaVersion: eventSchemaVersion, ...event };
}

/** What an event must be for a rule to take it: a pattern of EventBridge. */
export interface EventPattern {
  readonly source: readonly string[];
  readonly "detail-type": readonly string[];
  readonly account?: readonly string[];
  readonly detail?: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * The pushes that Lookout itself publishes; their `detail` is what the queue gets. Of its own account alone: others may put events on the
 * bus, but only ECR's own are believed.
 */
export function imagePushedPattern(account: string): EventPattern {
  return { source: [eventSource], "detail-type": ["ImagePushed" satisfies ImagePushed["name"]], account: [account] };
}

/** The media type of Helm charts in ECR's events. */
export const chartMediaType = "application/vnd.cncf.helm.config.v1+json";

/**
 * Which events of ECR are pushes: of a tag, and of an image. The images of an index come without a tag before the index comes with it, and
 * charts are in no workload.
 *
 * @param accounts - whose pushes count, 12 digits each; not empty: without a list anybody's would.
 * @see https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-eventbridge.html
 */
export function ecrPushPattern(accounts: readonly [string, ...string[]]): EventPattern {
  return {
    source: ["aws.ecr"],
    "detail-type": ["ECR Image Action"],
    account: accounts,
    detail: {
      "action-type": ["PUSH"],
      result: ["SUCCESS"],
      "repository-name": [{ exists: true }],
      "image-tag": [{ "anything-but": [""] }],
      "artifact-media-type": [{ exists: false }, { "anything-but": [chartMediaType] }],
    },
  };
}

/** How a rule makes a message of an event, in the terms of EventBridge's input transformers. */
export interface InputTransform {
  /** A JSON path for each variable. */
  readonly paths: Readonly<Record<string, string>>;
  /** The message, with `<variable>` where a value goes. */
  readonly template: string;
}

/**
 * Makes a push of ECR's event: the rule needs no code, and the queue gets what `imagePushedSchema` reads.
 *
 * @param urlSuffix - the domain of the partition's hosts: `amazonaws.com`, `amazonaws.com.cn`.
 */
export function ecrPushTransform(urlSuffix: string): InputTransform {
  const body: Readonly<Record<Exclude<keyof ImagePushed, "after">, string>> & { readonly schemaVersion: number } = {
    schemaVersion: eventSchemaVersion,
    name: "ImagePushed",
    id: "<id>",
    registry: `<account>.dkr.ecr.<region>.${urlSuffix}`,
    repository: "<repository>",
    tag: "<tag>",
    digest: "<digest>",
    source: "ecr",
    at: "<time>",
  };
  return {
    paths: {
      id: "$.id",
      account: "$.account",
      region: "$.region",
      repository: "$.detail.repository-name",
      tag: "$.detail.image-tag",
      digest: "$.detail.image-digest",
      time: "$.time",
    },
    template: JSON.stringify(body),
  };
}
