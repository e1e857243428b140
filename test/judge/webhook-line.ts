import * as z from "zod";
import { authenticationSchemes, hmacAlgorithms } from "#contracts/config/receiver-kinds";
import { instant } from "./lines.ts";

/** The longest body that a line may generate. A receiver reads only 1 MiB of a notification. */
const mostGeneratedCharacters = 64 * 1_048_576;

/**
 * The schema of a line's receiver. Lookout treats the requests to a receiver without a secret and
 * keys as authenticated. `registry` is null for a receiver without `registry`, and absent if the
 * setting is unknown.
 */
const FixtureSchema = z
  .strictObject({
    secret: z.string().nullish(),
    registry: z.string().nullish(),
    header: z.string().exactOptional(),
    scheme: z.enum([...authenticationSchemes, "oidc-rs256"]).exactOptional(),
    prefix: z.string().exactOptional(),
    algorithms: z.array(z.enum(hmacAlgorithms)).exactOptional(),
    jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).exactOptional(),
    issuers: z.array(z.string()).exactOptional(),
    audience: z.string().exactOptional(),
    email: z.string().exactOptional(),
    now: instant.exactOptional(),
    allowed_registries: z.array(z.string()).exactOptional(),
    allowed_accounts: z.array(z.string()).exactOptional(),
  })
  .refine(({ jwks, audience, now }) => jwks === undefined || (audience !== undefined && now !== undefined), {
    error: "jwks needs audience and now too",
  });

const bytes = z.int().exactOptional();

const RepeatSchema = z
  .strictObject({
    kind: z.literal("repeat"),
    prefix: z.string(),
    unit: z.string(),
    count: z.int().min(0),
    suffix: z.string(),
    bytes,
  })
  .refine(({ unit, count }) => unit.length * count <= mostGeneratedCharacters, {
    error: `too large: the generated body would have more than ${mostGeneratedCharacters} characters`,
    abort: true,
  });

/** The schema of a generated body. `bytes` is the expected length of the body. */
const GeneratorSchema = z
  .discriminatedUnion("kind", [
    RepeatSchema,
    z.strictObject({ kind: z.literal("base64"), data: z.base64("expected base64"), bytes }),
  ])
  .superRefine((generator, context) => {
    const made = generator.bytes === undefined ? undefined : generatedBytes(generator).length;
    if (made === generator.bytes) return;
    const message = `expected ${made}, the length of the generated body`;
    context.issues.push({ code: "custom", path: ["bytes"], message, input: generator });
  });

/** Returns the body that a generator describes. */
export function generatedBytes(generator: z.output<typeof GeneratorSchema>): Buffer {
  if (generator.kind === "base64") return Buffer.from(generator.data, "base64");
  return Buffer.from(generator.prefix + generator.unit.repeat(generator.count) + generator.suffix);
}

/** The schema of an HTTP API event: the parts that the webhook function reads, with defaults. */
export const HttpEventSchema = z.looseObject({
  rawPath: z.string().default("/"),
  rawQueryString: z.string().default(""),
  headers: z.record(z.string(), z.string()).default({}),
  requestContext: z.looseObject({ http: z.looseObject({ method: z.string() }) }),
  body: z.string().exactOptional(),
  isBase64Encoded: z.boolean().default(false),
});

const RequestSchema = z
  .strictObject({
    method: z.string(),
    path_hint: z.string().exactOptional(),
    headers: z.record(z.string(), z.string()),
    body: z
      .union(
        [z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())],
        "expected a text, an object or a list",
      )
      .nullish(),
    body_generator: GeneratorSchema.exactOptional(),
  })
  .refine(({ body, body_generator: generator }) => generator === undefined || body === undefined || body === null, {
    error: "has body and body_generator; remove one of them",
  })
  .refine(({ method, body }) => method !== "LAMBDA" || HttpEventSchema.safeParse(body).success, {
    error: "expected an event of an HTTP API",
    path: ["body"],
  });

/** The schema of a line: a recorded request, and the receiver that it was sent to. */
export const WebhookLineSchema = z.strictObject({
  receiver: z.string(),
  fixture: FixtureSchema.exactOptional(),
  request: RequestSchema,
  repeat: z.int().min(1).max(10_000).exactOptional(),
});

/** A parsed line. */
export type WebhookLine = z.output<typeof WebhookLineSchema>;

/** The receiver's settings in a line. */
export type WebhookFixture = NonNullable<WebhookLine["fixture"]>;
