import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { authenticationBy, receiverOf } from "#adapters/webhook/receivers";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import { secretLines } from "#contracts/config/secret-text";
import { epochMs, toIso } from "#domain/shared/time";
import type { PushNotice, PushReceiver, ReceiveOutcome, ReceivedRequest } from "#ports/push-receiver";

const folder = fileURLToPath(new URL("../../fixtures/webhooks/", import.meta.url));

const Outcome = z.enum(["push", "ignored", "invalid", "unauthorized", "handshake"]);
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
  request: z.looseObject({ method: z.string(), path_hint: z.string(), headers: z.record(z.string(), z.string()) }),
  expect: Result.extend({
    reason: z.string(),
    also_acceptable: z.array(Outcome).default([]),
    alternatives: z.array(Result).default([]),
  }),
  fixture: z.looseObject({}).optional(),
  repeat: z.number().optional(),
});

/** What came of a request, in the words of the fixtures. */
export interface Summary {
  readonly outcome: z.output<typeof Outcome>;
  readonly pushes: readonly Push[];
}

/** One recorded request, and what it must come to. */
export interface WebhookCase {
  /** The folder: whose notification it is. */
  readonly folder: string;
  readonly file: string;
  readonly because: string;
  readonly request: z.output<typeof Fixture>["request"];
  /** What the receiver is configured with; undefined: the request is taken for authenticated. */
  readonly fixture: Readonly<Record<string, unknown>> | undefined;
  readonly repeat: number | undefined;
  /** Each of them is right. A registry that the payload does not name is null. */
  readonly accepted: readonly Summary[];
}

/** All recorded requests of test/fixtures/webhooks. */
export function webhookCases(): readonly WebhookCase[] {
  return readdirSync(folder).flatMap((name) =>
    readdirSync(folder + name).map((file) => {
      const text = readFileSync(`${folder}${name}/${file}`, "utf8");
      const { request, expect, fixture, repeat } = Fixture.parse(JSON.parse(text));
      const others = expect.also_acceptable
        .filter((outcome) => outcome !== "push")
        .map((outcome) => ({ outcome, pushes: [] }));
      const accepted = [expect, ...expect.alternatives, ...others].map(({ outcome, pushes }) => ({
        outcome,
        pushes: pushes.map((push) => ({ ...push, pushedAt: push.pushedAt && new Date(push.pushedAt).toISOString() })),
      }));
      return { folder: name, file: `${name}/${file}`, because: expect.reason, request, fixture, repeat, accepted };
    }),
  );
}

/** Folders and paths whose kind has another name. */
const otherNames: ReadonlyMap<string, ReceiverKind> = new Map([
  ["generic-hmac", "generic"],
  ["gitlab", "distribution"],
  ["ecr-eventbridge", "ecr"],
]);

/** Which kind of receiver a recorded request is for. */
export function kindOf({ folder, request }: WebhookCase): ReceiverKind {
  const [, named] = /^\/webhooks\/([\w-]+)/.exec(request.path_hint) ?? [];
  return otherNames.get(named ?? folder) ?? ((named ?? folder) as ReceiverKind);
}

/** The one receiver of an entry of `lookout.yaml`, with a recorded secret of any length. */
export function receiverWith(settings: ReceiverSettings, now = epochMs(0)): Pick<PushReceiver, "receive"> {
  const authenticate = authenticationBy(settings, secretLines(settings.secret), { now: () => now });
  const receiver = receiverOf(settings, authenticate);
  return { receive: async (request) => (await receiver).receive(request) };
}

/** Host of pushes whose payload names none: the receiver of the tests is configured with it. */
export const configuredRegistry = "configured.example.com";

/** A request as the server hands it on; a body that is no text is sent as JSON. */
export function requestOf(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
  query: Readonly<Record<string, string>> = {},
): ReceivedRequest {
  return {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
    query,
    body: body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

/** What a receiver answered, in the words of the fixtures. */
export function summaryOf(received: ReceiveOutcome): Summary {
  return received.kind === "pushes"
    ? { outcome: "push", pushes: received.pushes.map(asFixture) }
    : { outcome: received.kind, pushes: [] };
}

function asFixture({ registry, repository, tags, digest, pushedAt, actor }: PushNotice): Push {
  return {
    registry: registry === configuredRegistry ? null : registry,
    repository,
    tags: [...tags],
    digest: digest ?? null,
    pushedAt: pushedAt === undefined ? null : toIso(pushedAt),
    actor: actor ?? null,
  };
}
