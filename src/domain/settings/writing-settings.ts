import { parseImageReference } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";
import type { Apply } from "../workload/patch.ts";
import { readUnsupported } from "./gate-settings.ts";
import type { SettingScope } from "./setting-reader.ts";
import { oneOf, readBoolean, type ReadValue } from "./setting-values.ts";

/** The difference that counts as an update: the tag, its digest, or either. */
export type Strategy = "tag" | "digest" | "tag+digest";

/** How a container's image is written. */
export interface WritingSettings {
  readonly apply: Apply;
  readonly strategy: Strategy;
  readonly allowDowngrade: boolean;
}

/**
 * Parses how a container is updated. Another place to read tags from is not supported, and
 * rejected.
 */
export function readWriting(scope: SettingScope): WritingSettings {
  const { read } = scope;
  readUnsupported(scope, "registry", readRegistry);
  readUnsupported(scope, "repository", readRepository);
  return {
    apply: read("apply", readApply) ?? "pin",
    strategy: read("strategy", readStrategy) ?? "tag+digest",
    allowDowngrade: read("allow-downgrade", readBoolean) ?? false,
  };
}

const readApply: ReadValue<Apply> = oneOf(["pin", "tag", "restart"]);
const readStrategy: ReadValue<Strategy> = oneOf(["tag", "digest", "tag+digest"]);

/** Parses the name of an ImageRegistry: `name`, or `namespace/name`. */
const readRegistry: ReadValue<string> = (text) =>
  /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text.trim())
    ? ok(text.trim())
    : problem("expected the name of an ImageRegistry, such as lookout-system/production");

/** Parses the path of a repository in the registry of the image, without tag and digest. */
const readRepository: ReadValue<string> = (text) => {
  const path = text.trim();
  const image = parseImageReference(`registry.example/${path}`);
  return image.ok && image.value.repository === path && !/[:@]/.test(path)
    ? ok(path)
    : problem("expected the path of a repository, such as shop/api");
};

/** The parsers of these settings. */
export const writingReaders: readonly (readonly [string, ReadValue<unknown>])[] = [
  ["apply", readApply],
  ["strategy", readStrategy],
  ["allow-downgrade", readBoolean],
  ["registry", readRegistry],
  ["repository", readRepository],
];
