import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { toIso } from "#domain/time";
import type { PushNotice, Received, ReceivedRequest } from "#ports/push-receiver";

const folder = fileURLToPath(new URL("../../fixtures/webhooks/", import.meta.url));

const Outcome = z.enum(["push", "ignored", "invalid", "unauthorized"]);
const Push = z.object({
  registry: z.string().nullable(),
  repository: z.string(),
  tags: z.array(z.string()),
  digest: z.string().nullable(),
  pushedAt: z.string().nullable(),
  actor: z.string().nullable(),
});
type Push = z.output<typeof Push>;
const Result = z.object({ outcome: Outcome, pushes: z.array(Push) });

const Fixture = z.object({
  request: z.object({
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.union([z.string(), z.looseObject({})]),
  }),
  expect: Result.extend({
    reason: z.string(),
    also_acceptable: z.array(Outcome).default([]),
    alternatives: z.array(Result).default([]),
  }),
  fixture: z.object({ secret: z.string() }),
});

/** One recorded request, and what it must come to. */
export interface WebhookCase {
  readonly file: string;
  readonly because: string;
  readonly secret: string;
  readonly request: ReceivedRequest;
  /** Each of them is right. Those that are not a push are told by their outcome alone. */
  readonly accepted: readonly ReturnType<typeof summaryOf>[];
}

/** Host of pushes whose payload names none: the receiver of the tests is configured with it. */
export const configuredRegistry = "configured.example.com";

/** All requests of a folder of test/fixtures/webhooks. */
export function webhookCases(name: string): readonly WebhookCase[] {
  return readdirSync(folder + name).map((file) => {
    const { request, expect, fixture } = Fixture.parse(JSON.parse(readFileSync(`${folder}${name}/${file}`, "utf8")));
    const others = expect.also_acceptable.map((outcome) => ({ outcome, pushes: [] }));
    return {
      file,
      because: expect.reason,
      secret: fixture.secret,
      request: requestOf(request.body, request.headers, request.method),
      accepted: [expect, ...expect.alternatives, ...others].map(({ outcome, pushes }) => ({
        outcome,
        pushes: pushes.map((push) => ({
          ...push,
          registry: push.registry ?? configuredRegistry,
          pushedAt: push.pushedAt && new Date(push.pushedAt).toISOString(),
        })),
      })),
    };
  });
}

/** A request as the server hands it on; a body that is no text is sent as JSON. */
export function requestOf(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
): ReceivedRequest {
  return {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
    body: body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

/** What a receiver answered, in the words of the fixtures. */
export function summaryOf(received: Received): {
  readonly outcome: z.output<typeof Outcome>;
  readonly pushes: readonly Push[];
} {
  return received.kind === "pushes"
    ? { outcome: "push", pushes: received.pushes.map(asFixture) }
    : { outcome: received.kind, pushes: [] };
}

function asFixture({ registry, repository, tag, digest, pushedAt, actor }: PushNotice): Push {
  return {
    registry,
    repository,
    tags: tag === undefined ? [] : [tag],
    digest: digest ?? null,
    pushedAt: pushedAt === undefined ? null : toIso(pushedAt),
    actor: actor ?? null,
  };
}
