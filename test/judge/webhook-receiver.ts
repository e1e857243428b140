import { type Authenticate, authenticationBy, receiverOf } from "#adapters/webhook/receivers";
import {
  type Authentication,
  receiverKind,
  googleTokens,
  type ReceiverKind,
  receiverKinds,
} from "#contracts/config/receiver-kinds";
import { secretLines } from "#contracts/config/secret-text";
import { type EpochMs, epochMs } from "#domain/shared/time";
import type { PushReceiver } from "#ports/push-receiver";
import { noRegistry } from "#runtime/webhook-trial";
import type { WebhookFixture } from "./webhook-line.ts";

/** Kinds whose name in paths differs from their name in `lookout.yaml`. */
const otherNames: ReadonlyMap<string, ReceiverKind> = new Map([
  ["generic-hmac", "generic"],
  ["gitlab", "distribution"],
  ["ecr-eventbridge", "ecr"],
]);

/**
 * Returns the kind that the last part of a path names; undefined for an unknown name. A query is
 * ignored.
 */
export function kindNamed(written: string): ReceiverKind | undefined {
  const [name = ""] = written.split("?");
  return otherNames.get(name) ?? (Object.hasOwn(receiverKinds, name) ? (name as ReceiverKind) : undefined);
}

/**
 * Returns a receiver with the settings of the fixture. If the fixture leaves the registry open and
 * notifications of the kind may name none, the receiver's registry is {@link noRegistry}.
 */
export function fixtureReceiver(kind: ReceiverKind, fixture: WebhookFixture): Promise<PushReceiver> {
  const open = receiverKind(kind).namesRegistry === "always" ? undefined : noRegistry;
  const registry = fixture.registry === undefined ? open : (fixture.registry ?? undefined);
  const settings = { name: kind, kind, registry, registries: fixture.allowed_registries };
  return receiverOf(settings, authenticationOf(kind, fixture));
}

function authenticationOf(kind: ReceiverKind, fixture: WebhookFixture): Authenticate {
  const { secret, header, scheme, jwks, audience = "", issuers = googleTokens.issuers, email, now } = fixture;
  const clock = { now: (): EpochMs => now ?? epochMs(0) };
  const entry = { name: kind, kind };
  if (jwks !== undefined)
    return authenticationBy({ ...entry, tokens: { audience, issuers, keys: jwks, email } }, [], clock);
  const isSaid = secret !== undefined || header !== undefined || scheme !== undefined;
  if (!isSaid) return () => undefined;
  const authentication = writtenAuthentication(kind, fixture);
  return authenticationBy({ ...entry, authentication }, secretLines(secret ?? ""), clock);
}

/** Returns the fixture's authentication. Missing parts have the kind's defaults. */
function writtenAuthentication(kind: ReceiverKind, fixture: WebhookFixture): Authentication {
  const { header: usualHeader, query: usualQuery, ...usual } = receiverKind(kind).authentication;
  const { header = usualHeader, scheme, prefix, algorithms } = fixture;
  const [, query = fixture.header === undefined ? usualQuery : undefined] = /^\(query\) (.+)$/.exec(header ?? "") ?? [];
  return {
    ...usual,
    ...(query === undefined ? { header: header ?? "" } : { query }),
    ...(scheme === undefined || scheme === "oidc-rs256" ? {} : { scheme }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(algorithms === undefined ? {} : { algorithms }),
  };
}
