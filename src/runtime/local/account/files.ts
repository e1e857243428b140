import { access, chmod, constants, mkdir, readFile, realpath, rm, rmdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type StoredAccount, storedAccount } from "#adapters/kubernetes/account-api";
import { withClusterEntry, withoutClusterEntry } from "#contracts/config/cluster-entries";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { checkConfiguration, configurationFileName } from "#contracts/config/file";
import { PermanentError } from "#ports/errors";
import { filled } from "../chosen-configuration.ts";
import { loadConfiguration } from "../configuration.ts";
import { stateFiles } from "../state-files.ts";
import { codeOf } from "../system-errors.ts";
import { unusableFolder } from "../unusable-folder.ts";
import { readIfThere, writeWhole } from "../whole-file.ts";

/** The place of `lookout.yaml` and of the state folder. */
export interface AccountPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: `lookout.yaml` in the working directory. */
  readonly config?: string;
  /** The state folder. Default: `LOOKOUT_DATA`, else `dataDir` of `lookout.yaml`. */
  readonly data?: string;
}

/** The files of a cluster's account. */
export interface AccountFiles {
  /** The absolute path of `lookout.yaml`, which may not exist. */
  readonly lookoutYaml: string;
  /** The path of the kubeconfig that `lookout cluster add` writes. */
  readonly kubeconfig: string;
  /** The names of the clusters in `lookout.yaml`. */
  readonly known: readonly string[];
  /** The cluster's entry in `lookout.yaml`, with absolute paths. */
  readonly entry?: ClusterConfiguration;
  /** The account of the entry's kubeconfig, else of {@link AccountFiles.kubeconfig}. */
  readonly account?: StoredAccount;
  /** The path of the account's kubeconfig, if there is an account. */
  readonly accountFile?: string;
}

/**
 * Finds the files of a cluster's account.
 *
 * @throws PermanentError if `lookout.yaml` is invalid or can't be read
 */
export async function accountFiles(name: string, place: AccountPlace): Promise<AccountFiles> {
  const { cwd, environment } = place;
  const lookoutYaml = await realPath(resolve(cwd, place.config ?? configurationFileName));
  const { configuration } = await loadConfiguration({
    environment,
    file: lookoutYaml,
    readFile: async (path) => (path === lookoutYaml ? ((await readIfThere(path)) ?? "") : readFile(path, "utf8")),
  });
  const data = resolve(cwd, place.data ?? filled(environment["LOOKOUT_DATA"]) ?? configuration.dataDir);
  const kubeconfig = join(data, stateFiles.kubeconfigs, `${name}.yaml`);
  const entry = configuration.clusters.find((cluster) => cluster.name === name);
  const paths = [...(entry?.kubeconfig === undefined ? [] : [entry.kubeconfig]), kubeconfig];
  const [found] = paths.flatMap((file) => {
    const account = accountIn(name, file);
    return account === undefined ? [] : [{ account, accountFile: file }];
  });
  return {
    lookoutYaml,
    kubeconfig,
    known: configuration.clusters.map((cluster) => cluster.name),
    ...(entry === undefined ? {} : { entry }),
    ...found,
  };
}

/** Returns the account of a kubeconfig; undefined for another file, and for an unusable one. */
function accountIn(name: string, file: string): StoredAccount | undefined {
  try {
    return storedAccount({ name, file });
  } catch {
    return undefined;
  }
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Returns a path as `lookout.yaml` names it: relative inside its folder, else absolute. */
export function pathInFile(lookoutYaml: string, path: string): string {
  const relativePath = relative(dirname(lookoutYaml), path);
  return relativePath.startsWith("..") || isAbsolute(relativePath) ? path : relativePath.replaceAll("\\", "/");
}

/**
 * Creates the folder of the kubeconfigs, which only its owner can read.
 *
 * @throws PermanentError if the folder can't be created
 */
export async function openKubeconfigs({ kubeconfig }: Pick<AccountFiles, "kubeconfig">): Promise<void> {
  const folder = dirname(kubeconfig);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    throw unusableFolder(folder, error);
  }
}

/**
 * Writes a token or a kubeconfig, for its owner only.
 *
 * @throws PermanentError if the file can't be written
 */
export async function writePrivate(path: string, content: string): Promise<void> {
  await writeWhole(path, content).catch((error: unknown) => {
    throw unusableFolder(dirname(path), error);
  });
}

/** An edit of `lookout.yaml`. */
export interface Edit {
  /** True if the file stays as it is. */
  readonly isUnchanged: boolean;
  /** Writes the file, or removes it if nothing is left in it. */
  write(): Promise<void>;
}

/**
 * Returns the edit that adds the cluster's entry, or changes the kubeconfig of the entry.
 *
 * @throws PermanentError with the entry to paste, if the file can't be edited
 */
export function addingEntry(name: string, files: AccountFiles): Promise<Edit> {
  const added = { name, kubeconfig: pathInFile(files.lookoutYaml, files.kubeconfig) };
  // One line, because the indentation of further lines of a message is lost.
  const toPaste = `  clusters: [{ name: ${name}, kubeconfig: ${JSON.stringify(added.kubeconfig)} }]`;
  return edit(files, (text) => withClusterEntry(text, added), ["Write this entry by hand:", toPaste]);
}

/**
 * Returns the edit that removes the cluster's entry.
 *
 * @throws PermanentError if the file can't be edited
 */
export function removingEntry(name: string, files: AccountFiles): Promise<Edit> {
  return edit(files, (text) => withoutClusterEntry(text, name), [`Remove the entry of ${name} by hand.`]);
}

async function edit(
  { lookoutYaml }: AccountFiles,
  change: (text: string) => string | undefined,
  advice: readonly string[],
): Promise<Edit> {
  await access(dirname(lookoutYaml), constants.W_OK).catch((error: unknown) => {
    throw notWritten(lookoutYaml, advice, error);
  });
  const before = await readIfThere(lookoutYaml);
  const after = change(before ?? "");
  if (after === undefined || !checkConfiguration(after).ok)
    throw new PermanentError([`the form of ${lookoutYaml} can't be edited by a program`, ...advice].join("\n"));
  const isEmptied = after.trim() === "" && before?.trim() !== "";
  return {
    isUnchanged: after === (before ?? ""),
    write: async () => {
      if (after === (before ?? "")) return;
      try {
        if (isEmptied) await rm(lookoutYaml);
        else
          await writeWhole(lookoutYaml, after, before === undefined ? 0o644 : (await stat(lookoutYaml)).mode & 0o777);
      } catch (error) {
        throw notWritten(lookoutYaml, advice, error);
      }
    },
  };
}

function notWritten(lookoutYaml: string, advice: readonly string[], error: unknown): PermanentError {
  const why = `${lookoutYaml} can't be written (${codeOf(error) ?? "unknown error"})`;
  return new PermanentError([why, ...advice].join("\n"), { cause: error });
}

/** Removes the account's kubeconfig and token, and their folder if it is empty. */
export async function removeAccountFiles({
  kubeconfig,
  account,
  accountFile = kubeconfig,
}: AccountFiles): Promise<void> {
  for (const path of [accountFile, account?.tokenFile ?? tokenFileOf(accountFile)]) await rm(path, { force: true });
  await rmdir(dirname(accountFile)).catch(() => undefined);
}

/** Returns the path of the token beside a kubeconfig. */
export function tokenFileOf(kubeconfig: string): string {
  return kubeconfig.replace(/\.yaml$/, ".token");
}
