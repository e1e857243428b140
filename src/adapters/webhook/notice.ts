import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { parseRepository } from "#contracts/config/registry-host";
import { isDigest, isTag, imageNameOf } from "#domain/image/reference";
import { ok, problem, type Result } from "#domain/shared/result";
import { type EpochMs, epochMs, parseInstant } from "#domain/shared/time";
import type { PushNotice, ReceivedRequest } from "#ports/push-receiver";

/** A push as its notification states it, unchecked. */
export interface StatedPush {
  /** The sender's id of the push. */
  readonly id?: unknown;
  /** Host and port. Absent or empty when the notification names no host. */
  readonly host?: string | null | undefined;
  /** The repository without the host, in any case. */
  readonly path: string;
  /** The pushed tags, or digests without a tag. */
  readonly references: readonly (string | null | undefined)[];
  readonly digest?: string | null | undefined;
  readonly pushedAt?: EpochMs | undefined;
  readonly actor?: unknown;
}

/** A push without its id. */
export type Pushed = Omit<PushNotice, "id">;

/** A text that is not empty. */
export const text = z.string().check(z.minLength(1));

/** An optional text, which may be null. */
export const someText = z.nullish(z.string());

/** Any optional value, which is checked later. */
export const anything = z.optional(z.unknown());

/** Why a stated push is unusable. `refusal`: the reason for metrics, if it is not `malformed`. */
export interface NoticeProblem {
  readonly reason: string;
  readonly refusal?: "no-registry";
}

const namesNoHost: NoticeProblem = {
  reason: "the event names no host: set registry of this receiver in lookout.yaml",
  refusal: "no-registry",
};

/** Tags of signatures (cosign's `.sig`), attestations and referrers of another image. */
const companionTag = /^sha(?:256|384|512)-[0-9a-f]+(?:\.[a-z]+)?$/;

/**
 * Returns a checked push, or undefined when all its tags belong to signatures, attestations or
 * referrers.
 *
 * @param configured - the host for a push that names no host.
 */
export function noticeOf(
  stated: StatedPush,
  configured: string | undefined,
): Result<PushNotice | undefined, NoticeProblem> {
  const named = nonEmpty(stated.host);
  const host = named === undefined ? configured : plainHost(named);
  if (host === undefined) return problem(namesNoHost);
  const image = parseRepository(host, stated.path);
  if (image === undefined) return problem({ reason: "the event's host and path do not name a repository" });
  const what = tagsAndDigest(stated);
  if (!what.ok) return problem({ reason: what.problem });
  return ok(what.value && withIdentity(stated, { ...image, ...what.value }));
}

/**
 * Returns a host without the scheme, the path of the registry's API and the port 443. A text of
 * another form stays as it is.
 */
export function plainHost(text: string): string {
  const [, host = text] = /^(?:https?:\/\/)?([^/]+)\/?(?:v[12]\/?)?$/i.exec(text) ?? [];
  // A host of one word needs its port: without the port, the word is a path on Docker Hub.
  return host.includes(".") && host.endsWith(":443") ? host.slice(0, -":443".length) : host;
}

/** Returns the tags and the digest of a push. A digest may take the place of a tag. */
function tagsAndDigest({
  references,
  digest: stated,
}: StatedPush): Result<Pick<Pushed, "tags" | "digest"> | undefined, string> {
  const names = references.map(nonEmpty).filter((name) => name !== undefined);
  const all = names.filter((name) => !isDigest(name));
  if (!all.every(isTag)) return problem("the event's tag is invalid");
  const tags = [...new Set(all)].filter((tag) => !companionTag.test(tag));
  if (all.length > 0 && tags.length === 0) return ok(undefined);
  const digest = nonEmpty(stated) ?? names.find(isDigest);
  if (digest === undefined)
    return tags.length === 0 ? problem("the event names neither a tag nor a digest") : ok({ tags });
  return isDigest(digest) ? ok({ tags, digest }) : problem("the event's digest is invalid");
}

function withIdentity({ id, pushedAt, actor }: StatedPush, pushed: Pushed): PushNotice {
  const name = actorOf(actor);
  return {
    id: identityOf(id) ?? identityOfPushed(pushed),
    ...pushed,
    ...(pushedAt === undefined ? {} : { pushedAt }),
    ...(name === undefined ? {} : { actor: name }),
  };
}

/** Returns the id of pushed content. All notifications of a push get the same id. */
function identityOfPushed({ registry, repository, tags, digest }: Pushed): string {
  const suffix = tags.map((tag) => `:${tag}`).join("") + (digest === undefined ? "" : `@${digest}`);
  return shortIdentity(imageNameOf({ registry, repository }) + suffix);
}

/** The maximum length of an id, which log lines, messages and keys repeat. */
const longestIdentity = 256;

/** Returns an id of at most 256 characters. A longer id becomes its hash. */
export function shortIdentity(identity: string): string {
  return identity.length <= longestIdentity
    ? identity
    : `sha256:${createHash("sha256").update(identity).digest("hex")}`;
}

/** Returns the pushes without repeats. The first of equal pushes stays. */
export function withoutRepeats(pushes: readonly PushNotice[]): readonly PushNotice[] {
  const seen = new Set<string>();
  return pushes.filter((push) => {
    const identity = identityOfPushed(push);
    return !seen.has(identity) && seen.add(identity);
  });
}

/** Parses a request's body as JSON in UTF-8. Returns undefined for an invalid body. */
export function readJson({ body }: Pick<ReceivedRequest, "body">): unknown {
  return parseJson(body);
}

/** Parses bytes as JSON in UTF-8. Returns undefined for invalid bytes. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the field `payload` of a form, or the body of a request that is not a form. */
export function payloadOf({ headers, body }: Pick<ReceivedRequest, "headers" | "body">): Uint8Array {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) return body;
  return Buffer.from(new URLSearchParams(Buffer.from(body).toString("utf8")).get("payload") ?? "");
}

/** Parses an RFC 3339 instant. Returns undefined for an invalid text, and for Go's zero time. */
export function instantOf(text: unknown): EpochMs | undefined {
  if (typeof text !== "string" || text.startsWith("0001-01-01T00:00:00")) return undefined;
  return parseInstant(text);
}

/**
 * Converts seconds since 1970, which may have a fraction. Returns undefined for 0 and for values
 * out of range.
 */
export function instantOfSeconds(seconds: unknown): EpochMs | undefined {
  if (typeof seconds !== "number" || !(seconds > 0) || seconds > 253_402_300_799) return undefined;
  return epochMs(Math.floor(seconds * 1_000));
}

/** Returns the host of an HTTP URL, or undefined for another text. */
export function hostOf(address: string | null | undefined): string | undefined {
  const parsed = address === null || address === undefined ? null : URL.parse(address);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.host : undefined;
}

/**
 * Splits `host/path:tag` and `host/path@digest` without checking the parts. A scheme before the
 * host is dropped.
 */
export function imageParts(written: string): Pick<StatedPush, "host" | "path" | "references"> {
  const image = written.replace(/^https?:\/\//i, "");
  const slash = image.indexOf("/");
  const [name = "", digest] = image.slice(slash + 1).split("@");
  const colon = name.indexOf(":");
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  return { host: image.slice(0, Math.max(slash, 0)), path, references: [tag, digest] };
}

/**
 * Returns the pusher's name. Users see the name, so it must be short and without control
 * characters.
 */
function actorOf(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "" || name.length > 256) return undefined;
  return /\p{C}|\p{Zl}|\p{Zp}/u.test(name) ? undefined : name;
}

/**
 * Returns the sender's id if the id has at most 128 visible characters of ASCII. Other ids can't
 * become part of message keys.
 */
function identityOf(id: unknown): string | undefined {
  return typeof id === "string" && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

/** Returns a text, or undefined for an empty or missing text. */
export function nonEmpty(text: string | null | undefined): string | undefined {
  return text === null || text === "" ? undefined : text;
}
