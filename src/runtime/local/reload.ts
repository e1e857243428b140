import type { SettingsView } from "#contracts/api/process";
import type { Configuration } from "#contracts/config/configuration";
import { configurationFileName } from "#contracts/config/file";
import { deepEqual } from "#domain/shared/deep-equal";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";
import type { Reload } from "#ports/reloads";
import { type Loaded, secretFilesOf } from "./loaded.ts";
import { isDemo } from "./run-world.ts";
import { type ReadAgain, watchedFiles } from "./watched-files.ts";

/** The configuration of a running process. */
export interface ReloadedConfiguration {
  readonly settings: () => SettingsView;
  /** Returns the outcome of the last read; undefined if there was never a file. */
  readonly outcome: () => Reload | undefined;
  /** Reads the files again if they have changed. Call it every second. */
  readonly look: () => Promise<void>;
}

/** A configuration whose parts are open, and which is not in force yet. */
export interface Prepared {
  /** Puts the whole configuration in force at once. Later work may fail. */
  use(): Promise<void>;
  /** Closes the parts. */
  discard(): Promise<void>;
}

export interface ReloadOptions {
  readonly started: Loaded;
  /**
   * Reads the file, or the default file if there was none so far. `onFiles` gets the files with secrets, also if the read fails then.
   *
   * @throws PermanentError if the configuration is invalid
   */
  readonly load: (file: string | undefined, onFiles: (paths: readonly string[]) => void) => Promise<Loaded>;
  /** Opens a configuration. `evaluates`: it may decide otherwise than the former one. */
  readonly prepare: (loaded: Loaded, evaluates: boolean) => Promise<Prepared>;
  readonly clock: Clock;
  readonly notice: (text: string, level?: "info" | "error") => void;
}

/** The keys that are read only at a start. */
const onlyAtStart = ["listen", "dataDir", "backup"] as const satisfies readonly (keyof Configuration)[];

/**
 * Returns the configuration of a process, which follows its file. A file that can't be used leaves the
 * former configuration in force.
 */
export function reloadedConfiguration(options: ReloadOptions): ReloadedConfiguration {
  const { started, load, prepare, clock, notice } = options;
  let inForce = started;
  let secretFiles = secretFilesOf(started);
  let outcome: Reload | undefined = reloadOf(started.file);
  const file = (): string => inForce.file ?? configurationFileName;

  function reloadOf(path: string | undefined): Reload | undefined {
    if (path === undefined) return undefined;
    const changed = onlyAtStart.filter((key) => !deepEqual(inForce.configuration[key], started.configuration[key]));
    const needsRestart = changed.length === 0 ? {} : { needsRestart: changed };
    return { part: "configuration", file: path, loadedAt: clock.now(), ...needsRestart };
  }

  const fail = (error: unknown): ReadAgain => {
    const detail = error instanceof Error ? error.message : "unknown error";
    const last = outcome ?? { part: "configuration", file: file(), loadedAt: clock.now() };
    if (last.failure?.detail !== detail)
      notice(`${detail}\nThe former configuration stays in force until ${file()} is mended`, "error");
    outcome = { ...last, failure: { at: last.failure?.at ?? clock.now(), detail } };
    return "failed";
  };

  const read = async (isSame: () => Promise<boolean>): Promise<ReadAgain> => {
    let next: Loaded;
    let prepared: Prepared | undefined;
    try {
      next = await load(inForce.file, (paths) => (secretFiles = paths));
      refuseOtherMode(next);
      const evaluates = !deepEqual(deciding(next), deciding(inForce));
      const isOther = evaluates || !deepEqual(next, inForce);
      prepared = isOther ? await prepare(next, evaluates) : undefined;
    } catch (error) {
      return (await isSame()) ? fail(error) : "moved";
    }
    if (!(await isSame())) {
      await prepared?.discard();
      return "moved";
    }
    if (prepared === undefined && outcome?.failure === undefined) return "done";
    inForce = next;
    outcome = reloadOf(next.file);
    notice(loadedText(next.file, outcome?.needsRestart));
    await prepared?.use();
    return "done";
  };

  const refuseOtherMode = ({ configuration }: Loaded): void => {
    if (isDemo(configuration) === isDemo(started.configuration)) return;
    throw new PermanentError(
      isDemo(configuration)
        ? `${file()} names no cluster any more, and a Lookout without a cluster runs the demo: name a cluster, or restart Lookout`
        : `${file()} names clusters, but this process runs the demo: restart Lookout`,
    );
  };

  return {
    settings: () => inForce.settings,
    outcome: () => outcome,
    look: watchedFiles({ paths: () => [file(), ...secretFiles], read }),
  };
}

/** Returns the parts of a configuration that decide about updates. */
function deciding({ configuration }: Loaded): Partial<Configuration> {
  const {
    receivers: _,
    budgets: __,
    listen: ___,
    dataDir: ____,
    backup: _____,
    alarms: ______,
    ...rest
  } = configuration;
  return rest;
}

function loadedText(file = "the default configuration", needsRestart: readonly string[] = []): string {
  const restart = needsRestart.length === 0 ? "" : `; needs a restart: ${needsRestart.join(", ")}`;
  return `${file} is in force${restart}`;
}
