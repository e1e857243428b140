import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const folder = join(import.meta.dirname, "../../fixtures/webhooks/ecr-eventbridge");

/** An event of ECR in the form of EventBridge. */
export interface EcrEvent {
  readonly id: string;
  readonly source: string;
  readonly "detail-type": string;
  readonly account: string;
  readonly region: string;
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The account of the tested events. */
export const ownAccount = "123456789012";

/** The event of a pushed tag, with all present members. */
export const aPush: EcrEvent = {
  id: "1b2c3d4e-0000-4000-8000-000000000001",
  "detail-type": "ECR Image Action",
  source: "aws.ecr",
  account: ownAccount,
  time: "2026-09-21T14:13:20Z",
  region: "eu-central-1",
  detail: {
    "action-type": "PUSH",
    result: "SUCCESS",
    "repository-name": "shop/api",
    "image-tag": "1.2.0",
    "image-digest": `sha256:${"a1".repeat(32)}`,
    "manifest-media-type": "application/vnd.oci.image.index.v1+json",
    "artifact-media-type": "application/vnd.oci.image.config.v1+json",
  },
};

/**
 * One difference from {@link aPush}. It says whether the event is still a pushed tag in our
 * account.
 */
export interface Variation {
  readonly what: string;
  /** The changed member. Variations of the same member can't be combined. */
  readonly member: string;
  readonly change: (event: EcrEvent) => EcrEvent;
  readonly stillOurs: boolean;
}

function top(member: keyof EcrEvent, value: string, stillOurs: boolean): Variation {
  return { what: `${member} ${value}`, member, stillOurs, change: (event) => ({ ...event, [member]: value }) };
}

/** Returns a variation of a member of `detail`. `undefined` omits the member. */
function detail(member: string, value: unknown, stillOurs: boolean): Variation {
  const change = (event: EcrEvent): EcrEvent => {
    const { [member]: _, ...others } = event.detail;
    return { ...event, detail: value === undefined ? others : { ...others, [member]: value } };
  };
  return { what: `${member} ${value === undefined ? "missing" : JSON.stringify(value)}`, member, stillOurs, change };
}

/** The variations of the event by ECR, other services, other accounts and mistakes. */
export const variations: readonly Variation[] = [
  top("source", "aws.ecr-public", false),
  top("source", "lookout", false),
  top("source", "my.ecr", false),
  top("detail-type", "ECR Image Scan", false),
  top("detail-type", "ECR Replication Action", true),
  top("detail-type", "ECR Pull Through Cache Action", true),
  top("detail-type", "ECR Referrer Action", false),
  top("detail-type", "ecr image action", false),
  top("account", "210987654321", false),
  top("account", "12345678901", false),
  top("account", "", false),
  top("region", "us-gov-west-1", true),
  top("region", "cn-north-1", true),
  detail("action-type", "DELETE", false),
  detail("action-type", "UPDATE_STORAGE_CLASS", false),
  detail("action-type", "push", false),
  detail("action-type", "REPLICATE", true),
  detail("action-type", undefined, true),
  detail("result", "FAILURE", false),
  detail("result", undefined, true),
  detail("sync-status", "SUCCESS", true),
  detail("sync-status", "FAILED", false),
  detail("image-tag", "", false),
  detail("image-tag", undefined, false),
  detail("image-tag", "latest", true),
  detail("image-tag", "sha256-of.it_is-2", true),
  detail("repository-name", undefined, false),
  detail("repository-name", "deep/er/name", true),
  detail("image-digest", undefined, true),
  detail("artifact-media-type", undefined, true),
  detail("artifact-media-type", "application/vnd.cncf.helm.config.v1+json", false),
  detail("artifact-media-type", "application/vnd.docker.container.image.v1+json", true),
  detail("manifest-media-type", undefined, true),
  detail("something-new", "unknown", true),
];

const Fixture = z.object({
  request: z.object({ body: z.union([z.record(z.string(), z.unknown()), z.string()]) }),
  expect: z.object({
    reason: z.string(),
    outcome: z.string(),
    pushes: z.array(
      z.object({
        registry: z.string(),
        repository: z.string(),
        tags: z.tuple([z.string()]),
        digest: z.string().nullable(),
        pushedAt: z.string(),
      }),
    ),
  }),
});
type Fixture = z.output<typeof Fixture>;

/** An event of the fixtures and its push, if any. */
export interface RecordedEvent {
  readonly because: string;
  readonly event: unknown;
  readonly push: Fixture["expect"]["pushes"][number] | undefined;
}

/** Returns all events of the fixtures, including the events of batches. */
export function recordedEvents(): readonly RecordedEvent[] {
  return readdirSync(folder).flatMap((file) => {
    const { request, expect } = Fixture.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    const because = `${file}: ${expect.reason}`;
    // No rule sees the notification that an API destination sends.
    if (typeof request.body === "string") return [];
    if (!("Records" in request.body)) return [{ because, event: request.body, push: expect.pushes[0] }];
    const [first, second] = expect.pushes;
    // The fixture's reason describes the batch: two tags, a delete, the first tag again, and no
    // JSON.
    return eventsOf(request.body["Records"]).map((event, index) => ({
      because: `${because}, record ${index}`,
      event,
      push: [first, second, undefined, first][index],
    }));
  });
}

function eventsOf(records: unknown): readonly unknown[] {
  const bodies = z.array(z.object({ body: z.string() })).parse(records);
  return bodies.flatMap(({ body }) => {
    try {
      return [JSON.parse(body) as unknown];
    } catch {
      return []; // EventBridge sends no such event.
    }
  });
}
