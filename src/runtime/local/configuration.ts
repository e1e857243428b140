import { dirname, isAbsolute, join } from "node:path";
import type { Configuration } from "#contracts/config/configuration";
import { PermanentError } from "#ports/errors";
import { secretsIn, withPaths } from "#contracts/config/secrets";
import { configurationFileName, readConfiguration, type YamlContent } from "#contracts/config/file";
import type { LocalSources } from "./configuration-secrets.ts";
import { codeOf } from "./system-errors.ts";

/** The input of a configuration. */
export interface ConfigurationSources extends LocalSources {
  /**
   * The path of a file that must exist. The default is `lookout.yaml` in the working directory, if
   * any.
   */
  readonly file?: string | undefined;
}

/** A configuration and its source. */
export interface LoadedConfiguration {
  /** The path of the file. Absent if there is no file. Then all settings have their defaults. */
  readonly file?: string;
  /**
   * The configuration. Its paths are absolute, resolved from the folder of the file or from `~/`.
   */
  readonly configuration: Configuration;
  /** The content of the file, with positions. */
  readonly written: YamlContent;
  /** The paths of missing secret files, as `lookout.yaml` writes them. */
  readonly absentFiles: ReadonlySet<string>;
}

/**
 * Reads `lookout.yaml`, without secrets. `resolveSecrets` reads these.
 *
 * @throws PermanentError that lists every problem with its line and column, or the reason why the
 * file can't be read
 */
export async function loadConfiguration(sources: ConfigurationSources): Promise<LoadedConfiguration> {
  const file = sources.file ?? configurationFileName;
  const text = await readIfThere(file, sources);
  const read = readConfiguration(text ?? "", file);
  if (!read.ok) throw new PermanentError(read.problem);
  const { written, configuration: parsed } = read.value;
  const resolved = (path: string): string => resolvePath(path, file, sources.environment);
  const configuration = withPaths(parsed, resolved);
  const absentFiles = await absentOf(secretFilesIn(parsed), (path) => sources.readFile(resolved(path)));
  return { ...(text === undefined ? {} : { file }), configuration, written, absentFiles };
}

function secretFilesIn(configuration: Configuration): readonly string[] {
  return secretsIn(configuration).flatMap(({ ref }) => (ref !== undefined && "file" in ref ? [ref.file] : []));
}

/** Returns the paths without a file. A file that can't be read is not absent. */
async function absentOf(paths: readonly string[], readFile: LocalSources["readFile"]): Promise<ReadonlySet<string>> {
  const isAbsent = (path: string): Promise<boolean> =>
    readFile(path).then(
      () => false,
      (error: unknown) => codeOf(error) === "ENOENT",
    );
  const absent = await Promise.all(paths.map(async (path) => ((await isAbsent(path)) ? [path] : [])));
  return new Set(absent.flat());
}

async function readIfThere(file: string, sources: ConfigurationSources): Promise<string | undefined> {
  try {
    return await sources.readFile(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" && sources.file === undefined) return undefined;
    const why = code === "ENOENT" ? "does not exist" : `can't be read (${code ?? "unknown error"})`;
    throw new PermanentError(`the configuration ${file} ${why}: name a readable file with --config`, { cause: error });
  }
}

function resolvePath(path: string, file: string, environment: ConfigurationSources["environment"]): string {
  if (path === "~" || path.startsWith("~/")) {
    const home = environment["HOME"] ?? environment["USERPROFILE"];
    if (home !== undefined && home !== "") return join(home, path.slice(1));
    throw new PermanentError(`the path ${path} of ${file} can't be resolved: the variable HOME is not set`);
  }
  return isAbsolute(path) ? path : join(dirname(file), path);
}
