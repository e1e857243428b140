import { isDigest, isHost, isPath, isTag } from "#domain/image/grammar";
import { PermanentError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";

/** Checks the name of a repository. @throws PermanentError for an invalid name. */
export function checkRepository({ registry, repository }: RepositoryName): void {
  if (isHost(registry) && isPath(repository)) return;
  throw new PermanentError(`"${registry}/${repository}" is not a repository: expected host[:port]/path in lower case`);
}

/** Returns a tag. @throws PermanentError for an invalid tag. */
export function checkedTag(text: string): string {
  if (isTag(text)) return text;
  throw new PermanentError(`"${text}" is not a tag`);
}

/** Returns a digest. @throws PermanentError for an invalid digest. */
export function checkedDigest(text: string): string {
  if (isDigest(text)) return text;
  throw new PermanentError(`"${text}" is not a digest`);
}
