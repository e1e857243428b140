import { isDigest, isHost, isPath, isTag } from "#domain/image/grammar";
import { PermanentError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";

/** @throws PermanentError for what is no repository as images name it. */
export function checkRepository({ registry, repository }: RepositoryName): void {
  if (isHost(registry) && isPath(repository)) return;
  throw new PermanentError(`"${registry}/${repository}" is not a repository; expected host[:port]/path in lower case`);
}

/** Answers the text. @throws PermanentError when it is no tag. */
export function checkedTag(text: string): string {
  if (isTag(text)) return text;
  throw new PermanentError(`"${text}" is not a tag`);
}

/** Answers the text. @throws PermanentError when it is no digest. */
export function checkedDigest(text: string): string {
  if (isDigest(text)) return text;
  throw new PermanentError(`"${text}" is not a digest`);
}
