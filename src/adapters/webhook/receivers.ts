import { receiverKind } from "#contracts/config/receiver-kinds";
import { readSecrets, secretLines } from "#contracts/config/secret-text";
import { registryHost } from "#domain/registry/host";
import { shortened } from "#domain/shared/shown-text";
import type { Clock } from "#ports/clock";
import type { PushReceiver, PushReceivers, ReceiveOutcome, ReceivedRequest } from "#ports/push-receiver";
import type { SecretRead } from "#ports/secrets";
import { whyUnauthenticated } from "./authentication.ts";
import { loadReader } from "./readers.ts";
import type { NotificationReader, Reading } from "./reading.ts";
import type { ReceiverSettings } from "./settings.ts";

/** A receiver without its secret. */
type Entry = Omit<ReceiverSettings, "secret">;

/** Returns why a request is rejected, or undefined for an accepted request. */
export type Authenticate = (
  request: ReceivedRequest,
  reader: NotificationReader,
) => string | undefined | Promise<string | undefined>;

/**
 * Returns the receivers whose secrets are known at the start. The names of receivers are unique.
 */
export function pushReceivers(all: readonly ReceiverSettings[], clock: Clock): PushReceivers {
  const byName = new Map(all.map((settings) => [settings.name, { settings, ...authenticationOf(settings, clock) }]));
  return {
    async receiver(name) {
      const known = byName.get(name);
      return known && withProblem(await receiverOf(known.settings, known.authenticate), known.unusable);
    },
  };
}

/**
 * Returns why a receiver rejects all webhooks, with the remedy. Returns undefined when it has
 * tokens or a usable secret.
 */
export function secretProblem(settings: ReceiverSettings): string | undefined {
  const { name, kind, secret, tokens, authentication = receiverKind(kind).authentication } = settings;
  if (tokens !== undefined) return undefined;
  const read = readSecrets(secret, authentication.scheme);
  return read.ok ? undefined : `receiver ${name} rejects all webhooks: ${read.problem}`;
}

function authenticationOf(
  settings: ReceiverSettings,
  clock: Clock,
): { readonly authenticate: Authenticate; readonly unusable: string | undefined } {
  const unusable = secretProblem(settings);
  const secrets = unusable === undefined ? secretLines(settings.secret) : [];
  return { authenticate: authenticationBy(settings, secrets, clock), unusable };
}

function withProblem(receiver: PushReceiver, problem: string | undefined): PushReceiver {
  return problem === undefined ? receiver : { ...receiver, secretProblem: problem };
}

/**
 * Returns the receivers whose secrets are read at each request. A missing secret affects only its
 * receiver.
 */
export function receiversWithSecrets<Written extends Entry>(
  all: readonly Written[],
  secretOf: (receiver: Written) => Promise<SecretRead>,
  clock: Clock,
): PushReceivers {
  const byName = new Map(all.map((settings) => [settings.name, settings]));
  const withTokens = pushReceivers(
    all.filter(({ tokens }) => tokens !== undefined).map((settings) => ({ ...settings, secret: undefined })),
    clock,
  );
  return {
    async receiver(name) {
      const settings = byName.get(name);
      if (settings?.tokens !== undefined || settings === undefined) return withTokens.receiver(name);
      const found = await secretOf(settings);
      const secret = found.kind === "secret" ? found.value : undefined;
      const { authenticate, unusable } = authenticationOf({ ...settings, secret }, clock);
      return withProblem(await receiverOf(settings, authenticate), found.kind === "secret" ? unusable : found.why);
    },
  };
}

/** Returns the check of a receiver's requests, by tokens or by any of its secrets. */
export function authenticationBy(settings: Entry, secrets: readonly string[], clock: Clock): Authenticate {
  const { kind, tokens, authentication = receiverKind(kind).authentication } = settings;
  if (tokens === undefined)
    return (request, { signed }) =>
      whyUnauthenticated(request, { authentication, secrets, signed: signed?.(request) ?? request.body });
  let check: Promise<(request: ReceivedRequest) => Promise<string | undefined>> | undefined;
  return async (request) => {
    check ??= import("./tokens.ts").then(({ tokenCheck }) => tokenCheck(tokens, clock));
    return (await check)(request);
  };
}

/** Returns a receiver, which authenticates a request and then reads it. */
export async function receiverOf(settings: Entry, authenticate: Authenticate): Promise<PushReceiver> {
  const reader = await loadReader(settings.kind);
  return {
    source: `webhook ${settings.kind}`,
    async receive(request) {
      const refusal = await authenticate(request, reader);
      if (refusal !== undefined) return { kind: "unauthorized", reason: refusal };
      return received(read(request, reader, settings), settings);
    },
  };
}

function read(request: ReceivedRequest, reader: NotificationReader, settings: Entry): Reading {
  if (request.method === "OPTIONS" && reader.greet !== undefined) return reader.greet(request);
  return request.method === "POST" ? reader.read(request, settings) : { kind: "invalid", reason: "expected a POST" };
}

function received(reading: Reading, { kind, registries }: Entry): ReceiveOutcome {
  if (reading.kind === "invalid") {
    return { ...reading, kind: "invalid", retriedForEver: receiverKind(kind).retriesForEver ?? false };
  }
  if (reading.kind !== "pushes" || registries === undefined) return reading;
  const accepted = new Set(registries.map(registryHost));
  const pushes = reading.pushes.filter(({ registry }) => accepted.has(registryHost(registry)));
  if (pushes.length > 0) return { ...reading, pushes };
  const host = shortened(reading.pushes[0]?.registry ?? "", 100);
  const reason = `registries of this receiver in lookout.yaml does not list ${host}`;
  return { kind: "ignored", reason, mayBeMisconfigured: true };
}
