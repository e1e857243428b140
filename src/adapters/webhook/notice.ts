import * as z from "zod/mini";
import { parseRepository } from "#contracts/config/registry-host";
import { isDigest, isTag, repositoryKey } from "#domain/image/reference";
import { ok, problem, type Result } from "#domain/shared/result";
import { type EpochMs, epochMs, parseInstant } from "#domain/shared/time";
import type { PushNotice, ReceivedRequest } from "#ports/push-receiver";

/** A push as a notification tells it, before anything of it is believed to be of the right form. */
export interface Told {
  /** The sender's identity of the push. */
  readonly id?: unknown;
  /** Host and port; absent or empty: the notification names none. */
  readonly host?: string | null | undefined;
  /** Without the host, in any case that the registry takes for the same. */
  readonly path: string;
  /** What the image was pushed as: tags, or digests where there is no tag. */
  readonly references: readonly (string | null | undefined)[];
  readonly digest?: string | null | undefined;
  readonly pushedAt?: EpochMs | undefined;
  readonly actor?: unknown;
}

/** What was pushed, without the identity of the message that told of it. */
export type Pushed = Omit<PushNotice, "id">;

/** A text that says something. */
export const text = z.string().check(z.minLength(1));

/** A text, or nothing, in one of the ways in which JSON says nothing. */
export const someText = z.nullish(z.string());

/** Whatever JSON can say, or nothing: looked at later. */
export const anything = z.optional(z.unknown());

/** Tags that hold signatures, attestations and referrers of another image, and are never run. */
const companionTag = /^sha(?:256|384|512)-[0-9a-f]+(?:\.[a-z]+)?$/;

/** Says whether a tag names what is said about an image (cosign's `.sig`, a referrers list), and no image. */
export function isCompanion(tag: string): boolean {
  return companionTag.test(tag);
}

/**
 * Checks what was told of a push; undefined when all of its tags are of signatures and the like.
 *
 * @param configured - the host of pushes that name none.
 */
export function noticeOf(told: Told, configured: string | undefined): Result<PushNotice | undefined, string> {
  const host = nonEmpty(told.host) ?? configured;
  if (host === undefined) return problem("it names no host, and the receiver has no registry");
  const image = parseRepository(host, told.path);
  if (image === undefined) return problem("its host and path do not name a repository");
  const what = tagsAndDigest(told);
  if (!what.ok) return what;
  return ok(what.value && withIdentity(told, { ...image, ...what.value }));
}

/** A digest may stand where a tag does. */
function tagsAndDigest({
  references,
  digest: stated,
}: Told): Result<Pick<Pushed, "tags" | "digest"> | undefined, string> {
  const names = references.map(nonEmpty).filter((name) => name !== undefined);
  const all = names.filter((name) => !isDigest(name));
  if (!all.every(isTag)) return problem("its tag is not a tag");
  const tags = [...new Set(all)].filter((tag) => !isCompanion(tag));
  if (all.length > 0 && tags.length === 0) return ok(undefined);
  const digest = nonEmpty(stated) ?? names.find(isDigest);
  if (digest === undefined) return tags.length === 0 ? problem("it names neither a tag nor a digest") : ok({ tags });
  return isDigest(digest) ? ok({ tags, digest }) : problem("its digest is not a digest");
}

function withIdentity({ id, pushedAt, actor }: Told, pushed: Pushed): PushNotice {
  const name = actorOf(actor);
  return {
    id: identityOf(id) ?? identityOfPushed(pushed),
    ...pushed,
    ...(pushedAt === undefined ? {} : { pushedAt }),
    ...(name === undefined ? {} : { actor: name }),
  };
}

/** Answers the one identity of what was pushed: the same for the same push, told by whomever. */
export function identityOfPushed({ registry, repository, tags, digest }: Pushed): string {
  const suffix = tags.map((tag) => `:${tag}`).join("") + (digest === undefined ? "" : `@${digest}`);
  return repositoryKey({ registry, repository }) + suffix;
}

/** Leaves the first of notices that tell of the same push. */
export function withoutRepeats(pushes: readonly PushNotice[]): readonly PushNotice[] {
  const seen = new Set<string>();
  return pushes.filter((push) => {
    const identity = identityOfPushed(push);
    return !seen.has(identity) && seen.add(identity);
  });
}

/** Reads a request's body as JSON in UTF-8; undefined when it is none, which JSON can't say itself. */
export function readJson({ body }: Pick<ReceivedRequest, "body">): unknown {
  return parseJson(body);
}

/** Reads bytes as JSON in UTF-8; undefined when they are none. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Whatever is wrong with it, the sender made it so: bytes that are no text, text that is no JSON, nesting without end.
    return undefined;
  }
}

/** Answers the bytes of the JSON that a form carries in its field `payload`, or the body where it is no form. */
export function payloadOf({ headers, body }: Pick<ReceivedRequest, "headers" | "body">): Uint8Array {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "")) return body;
  return Buffer.from(new URLSearchParams(Buffer.from(body).toString("utf8")).get("payload") ?? "");
}

/** Reads an RFC 3339 instant; Go writes the first of January of the year 1 where it has no time. */
export function instantOf(text: unknown): EpochMs | undefined {
  if (typeof text !== "string" || text.startsWith("0001-01-01T00:00:00")) return undefined;
  return parseInstant(text);
}

/** Reads a number of seconds since 1970, which may have a fraction; 0 and what no clock shows are none. */
export function instantOfSeconds(seconds: unknown): EpochMs | undefined {
  if (typeof seconds !== "number" || !(seconds > 0) || seconds > 253_402_300_799) return undefined;
  return epochMs(Math.floor(seconds * 1_000));
}

/** Answers the host of an address; undefined when it is none that a registry could be at. */
export function hostOf(address: string | null | undefined): string | undefined {
  const parsed = address === null || address === undefined ? null : URL.parse(address);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.host : undefined;
}

/** An image as notifications write it, taken apart: `host/path:tag`, `host/path@digest`. Nothing of it is checked. */
export function imageParts(image: string): Pick<Told, "host" | "path" | "references"> {
  const slash = image.indexOf("/");
  const [name = "", digest] = image.slice(slash + 1).split("@");
  const colon = name.indexOf(":");
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  return { host: image.slice(0, Math.max(slash, 0)), path, references: [tag, digest] };
}

/** People see the name, so it must be short and of characters that only show themselves. */
function actorOf(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "" || name.length > 256) return undefined;
  return /\p{C}|\p{Zl}|\p{Zp}/u.test(name) ? undefined : name;
}

/** It goes into keys of messages: an identity of any other form is passed over. */
function identityOf(id: unknown): string | undefined {
  return typeof id === "string" && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

/** Answers a text that says something; undefined for an empty one, and for none. */
export function nonEmpty(text: string | null | undefined): string | undefined {
  return text === null || text === "" ? undefined : text;
}
