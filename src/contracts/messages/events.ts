import { type FactWords, wordsOf } from "#domain/notify/words";
import type { DomainEvent } from "#domain/update/events";
import type { ImagePushed } from "#domain/image/push";

/** Exported again, because `lib/` may import contracts, but not the domain. */
export type { FactName } from "#domain/update/events";

/*
 * The events on the bus. Users have rules for `source`, `detail-type` and `detail.schemaVersion`.
 * New members may appear at any time, and readers ignore unknown members. Any other change needs a
 * new schemaVersion.
 */

/** The `source` of all events of Lookout. */
export const eventSource = "lookout";

/** The version of published events, and the newest version that this Lookout reads. */
export const eventSchemaVersion = 1;

/** What the `detail` of an event has beside the event itself. Facts have words, a push has none. */
type Published<Event extends DomainEvent> = Event & {
  readonly schemaVersion: typeof eventSchemaVersion;
} & (Event extends ImagePushed ? unknown : FactWords);

/** Returns the `detail` of an event on the bus. The event's name is the `detail-type`. */
export function eventDetail<Event extends DomainEvent>(event: Event): Published<Event> {
  const words = event.name === "ImagePushed" ? {} : wordsOf(event);
  return { schemaVersion: eventSchemaVersion, ...event, ...words } as Published<Event>;
}

/** An accepted value of a text in an event pattern. */
export type PatternRule =
  FlatRule | { readonly wildcard: string } | { readonly "anything-but": { readonly wildcard: readonly string[] } };

/**
 * The accepted values of a member, or the conditions on the members of an object. A list of conditions is
 * for `$or` only.
 */
export type PatternNode = readonly PatternRule[] | PatternMembers | readonly PatternMembers[];

/** The conditions on the members of an object. */
export interface PatternMembers {
  readonly [member: string]: PatternNode;
}

/** A pattern of texts in the event and in the first level of its detail. */
export interface FlatPattern extends EventPattern {
  readonly account: readonly string[];
  readonly detail: Readonly<Record<string, readonly FlatRule[]>>;
}

/** An accepted value of a text in a {@link FlatPattern}. */
export type FlatRule = string | { readonly exists: boolean } | { readonly "anything-but": readonly string[] };

/** An event pattern of EventBridge. */
export interface EventPattern {
  readonly source: readonly string[];
  readonly "detail-type": readonly string[];
  readonly account?: readonly string[];
  readonly detail?: PatternMembers;
}

/**
 * Returns the pattern of Lookout's own `ImagePushed` events. The pattern matches one account,
 * because other accounts may put events on the bus.
 */
export function imagePushedPattern(account: string): EventPattern {
  return { source: [eventSource], "detail-type": ["ImagePushed" satisfies ImagePushed["name"]], account: [account] };
}

/** The media type of Helm charts in ECR's events. */
export const chartMediaType = "application/vnd.cncf.helm.config.v1+json";

/**
 * The detail types of ECR's events after which a tag has a new image: a push, a replication into the
 * region of the event, and a pull through a cache.
 */
export const ecrPushTypes = ["ECR Image Action", "ECR Replication Action", "ECR Pull Through Cache Action"] as const;

/**
 * Returns the pattern of ECR events that are pushes of a tagged image. The pattern excludes the
 * untagged images of an index, and Helm charts. Each event has some of `action-type`, `result` and
 * `sync-status`.
 *
 * @param accounts - the ids of the accounts whose pushes Lookout accepts. An empty list would match
 *   all accounts.
 * @see https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-eventbridge.html
 */
export function ecrPushPattern(accounts: readonly [string, ...string[]]): FlatPattern {
  return {
    source: ["aws.ecr"],
    "detail-type": ecrPushTypes,
    account: accounts,
    detail: {
      "action-type": ["PUSH", "REPLICATE", { exists: false }],
      result: ["SUCCESS", { exists: false }],
      "sync-status": ["SUCCESS", { exists: false }],
      "repository-name": [{ exists: true }],
      "image-tag": [{ "anything-but": [""] }],
      "artifact-media-type": [{ exists: false }, { "anything-but": [chartMediaType] }],
    },
  };
}

/** An input transformer of EventBridge: how a rule turns an event into a message. */
export interface InputTransform {
  /** A JSON path for each variable. */
  readonly paths: Readonly<Record<string, string>>;
  /** The message, with `<variable>` in place of each value. */
  readonly template: string;
}

/**
 * Returns the transform of an ECR event into a message for `imagePushedSchema`.
 *
 * @param urlSuffix - the domain of the partition's hosts: `amazonaws.com`, `amazonaws.com.cn`.
 */
export function ecrPushTransform(urlSuffix: string): InputTransform {
  const body: Readonly<Record<Exclude<keyof ImagePushed, "after" | "within" | "replaced">, string>> & {
    readonly schemaVersion: number;
  } = {
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
