import * as z from "zod/mini";
import type { ImagePushed } from "#domain/events";
import type { EpochMs } from "#domain/time";
import { eventDetail, eventSchemaVersion, eventSource } from "./event-detail.ts";

/*
 * What is on the bus. `source`, `detail-type` and `detail.schemaVersion` are part of the contract: others have rules for them. An event
 * may gain members at any time, and whoever reads one passes over those it does not know; what else changes is a new schemaVersion.
 */

// Who only writes events does not load what reads them.
export { eventDetail, eventSchemaVersion, eventSource };

const versioned = z.object({ schemaVersion: z.int() });

/** Answers whether a newer Lookout wrote this: it can be read once this one has been replaced. */
export function isOfNewerVersion(value: unknown): boolean {
  const { data } = versioned.safeParse(value);
  return data !== undefined && data.schemaVersion > eventSchemaVersion;
}

const text = z.string().check(z.minLength(1));

const instant = z.pipe(
  z.union([
    z.number(),
    z.pipe(
      z.iso.datetime({ offset: true }),
      z.transform((time: string) => Date.parse(time)),
    ),
  ]),
  z.transform((value) => value as EpochMs),
);

/**
 * The form of a push, on the bus and in the queue of its rule. An instant is a number of milliseconds or, where AWS made the event, a time
 * of RFC 3339. An empty digest is none: a rule's transform can't leave a member out.
 */
export const imagePushedSchema = z.pipe(
  z.object({
    schemaVersion: z.literal(eventSchemaVersion),
    name: z.literal("ImagePushed"),
    id: text,
    registry: text,
    repository: text,
    tag: z.exactOptional(z.string()),
    digest: z.exactOptional(z.string()),
    source: z.string(),
    at: instant,
    after: z.exactOptional(z.string()),
  }),
  z.transform(({ schemaVersion, digest, ...push }): ImagePushed => (digest ? { ...push, digest } : push)),
);

/** What an event must be for a rule to take it: a pattern of EventBridge. */
export interface EventPattern {
  readonly source: readonly string[];
  readonly "detail-type": readonly string[];
  readonly account?: readonly string[];
  readonly detail?: Readonly<Record<string, readonly unknown[]>>;
}

/** The pushes that Lookout itself publishes; their `detail` is what the queue gets. */
export const imagePushedPattern = {
  source: [eventSource],
  "detail-type": ["ImagePushed" satisfies ImagePushed["name"]],
} as const satisfies EventPattern;

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
      "artifact-media-type": [{ exists: false }, { "anything-but": ["application/vnd.cncf.helm.config.v1+json"] }],
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
 * Makes a push of ECR's event: the rule needs no code, and the queue gets what {@link imagePushedSchema} reads.
 *
 * @param urlSuffix - the domain of the partition's hosts: `amazonaws.com`, `amazonaws.com.cn`.
 */
export function ecrPushTransform(urlSuffix: string): InputTransform {
  const body: z.input<typeof imagePushedSchema> = {
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
