import * as z from "zod/mini";
import type { ImagePushed } from "#domain/image/push";
import type { HandledEvent } from "../routes.ts";
import type { EpochMs } from "#domain/shared/time";
import { eventSchemaVersion } from "./events.ts";

const versioned = z.object({ schemaVersion: z.int() });

/** Returns whether a message has a newer schemaVersion than this Lookout reads. */
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

const domains = ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "c2s.ic.gov", "sc2s.sgov.gov", "csp.hci.ic.gov"];
/**
 * The pattern of ECR's hosts. A host contains the event's region, and a forged region could name
 * another host.
 */
const ecrHost = new RegExp(
  `^\\d{12}\\.dkr\\.ecr\\.[a-z]{2,4}(?:-[a-z]+)+-\\d+\\.(?:${[...domains, "cloud.adc-e.uk"].join("|").replaceAll(".", "\\.")})$`,
);

/**
 * The schema of a push, on the bus and in its queue. An instant is a number of milliseconds, or a
 * time of RFC 3339 from AWS. An empty digest means no digest, because the input transformer of a
 * rule can't omit a member.
 */
export const imagePushedSchema = z.pipe(
  z
    .object({
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
      within: z.exactOptional(z.string()),
    })
    .check(
      z.refine(({ source, registry }) => source !== "ecr" || ecrHost.test(registry), "the host is not an ECR host"),
      z.refine(({ after, within }) => within === undefined || after !== undefined, "within needs after"),
    ),
  z.transform(({ schemaVersion, digest, ...push }): ImagePushed => (digest ? { ...push, digest } : push)),
);

/** The schema of each handled event on its queue. */
export const eventSchemas = {
  ImagePushed: imagePushedSchema,
} as const satisfies { readonly [Name in HandledEvent["name"]]: z.ZodMiniType<Extract<HandledEvent, { name: Name }>> };
