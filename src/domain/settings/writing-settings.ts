import { parseImageReference } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";
import type { Apply } from "../workload/patch.ts";
import type { SettingScope } from "../annotations/setting-reader.ts";
import { oneOf, readBoolean, type ReadValue } from "../annotations/setting-values.ts";

/** The part of an image whose change is an update: the tag, its digest, or either. */
export type Strategy = "tag" | "digest" | "tag+digest";

/** The settings for writing a container's image. */
export interface WritingSettings {
  readonly apply: Apply;
  readonly strategy: Strategy;
  readonly allowDowngrade: boolean;
  /**
   * The name of an entry of `registries` in `lookout.yaml`, which must be the image's registry. The
   * default is any entry.
   */
  readonly registry?: string;
}

/**
 * Parses the settings for writing an image. Rejects a repository other than the image's repository,
 * because no patch may change the repository.
 */
export function readWriting(scope: SettingScope, image: string): WritingSettings {
  const { read, refuse } = scope;
  const registry = read("registry", readRegistry);
  const repository = read("repository", readRepository);
  if (repository !== undefined && !isRepositoryOf(repository, image))
    refuse("repository", "is not the repository of the image, which Lookout never changes");
  return {
    apply: read("apply", readApply) ?? "pin",
    strategy: read("strategy", readStrategy) ?? "tag+digest",
    allowDowngrade: read("allow-downgrade", readBoolean) ?? false,
    ...(registry === undefined ? {} : { registry }),
  };
}

/**
 * Returns whether a path is the repository of an image. The path may lack Docker Hub's `library/`.
 */
function isRepositoryOf(path: string, image: string): boolean {
  const own = parseImageReference(image);
  if (!own.ok) return true;
  const named = parseImageReference(`${own.value.registry}/${path}`);
  return named.ok && named.value.repository === own.value.repository;
}

const readApply: ReadValue<Apply> = oneOf(["pin", "tag", "restart"]);
const readStrategy: ReadValue<Strategy> = oneOf(["tag", "digest", "tag+digest"]);

/**
 * Parses the name of a registry. The Lookout Operator writes `namespace/name`; the namespace is
 * dropped.
 */
const readRegistry: ReadValue<string> = (text) => {
  const [, name] = /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/)?([a-z0-9][\w.:-]{0,254})$/i.exec(text.trim()) ?? [];
  return name === undefined ? problem("expected the name of a registry of lookout.yaml, such as production") : ok(name);
};

/** Parses the path of a repository in the registry of the image, without tag and digest. */
const readRepository: ReadValue<string> = (text) => {
  const path = text.trim();
  const image = parseImageReference(`registry.example/${path}`);
  return image.ok && image.value.repository === path && !/[:@]/.test(path)
    ? ok(path)
    : problem("expected the path of a repository, such as shop/api");
};

/** The parsers of the settings for writing an image. */
export const writingReaders: readonly (readonly [string, ReadValue<unknown>])[] = [
  ["apply", readApply],
  ["strategy", readStrategy],
  ["allow-downgrade", readBoolean],
  ["registry", readRegistry],
  ["repository", readRepository],
];
