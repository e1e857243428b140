import { repositoryKey } from "#domain/image-reference";
import type { PushNotice, ReceivedRequest } from "#ports/push-receiver";

/** What was pushed, without the identity of the message that told of it. */
export type Pushed = Omit<PushNotice, "id">;

/** Tags that hold signatures, attestations and referrers of another image, and are never run. */
const companionTag = /^sha(?:256|384|512)-[0-9a-f]+(?:\.[a-z]+)?$/;

/** Says whether a tag names what is said about an image (cosign's `.sig`, a referrers list), and no image. */
export function isCompanion(tag: string): boolean {
  return companionTag.test(tag);
}

/** Answers the one identity of what was pushed: the same for the same push, told by whomever. */
export function identityOfPushed({ registry, repository, tag, digest }: Pushed): string {
  const suffix = (tag === undefined ? "" : `:${tag}`) + (digest === undefined ? "" : `@${digest}`);
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
export function readJson(request: ReceivedRequest): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(request.body));
  } catch {
    // Whatever is wrong with it, the sender made it so: bytes that are no text, text that is no JSON, nesting without end.
    return undefined;
  }
}
