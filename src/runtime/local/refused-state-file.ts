import { join } from "node:path";
import { fileVersion, firstVersion } from "#adapters/sqlite/schema";
import type { OpenedStateFile } from "#adapters/sqlite/state-file";
import { PermanentError } from "#ports/errors";
import { diskTrouble } from "./disk.ts";
import { runningServer } from "./server-file.ts";
import { stateFiles } from "./state-files.ts";
import { fullDisk, whatANewStartMeans } from "./unusable-folder.ts";

type Refused = Extract<OpenedStateFile, { readonly kind: "refused" }>;

/** The place of a rejected file, and SQLite's message. */
interface Place {
  readonly folder: string;
  readonly file: string;
  readonly said: string;
}

const elsewhere = "name another folder with --data FOLDER";

/** Returns the error of a state file that can't be opened, with advice. */
export async function refusedStateFile({ why, said }: Refused, folder: string): Promise<PermanentError> {
  return await refusals[why]({ folder, file: join(folder, stateFiles.state), said });
}

const refusals: Readonly<Record<Refused["why"], (place: Place) => PermanentError | Promise<PermanentError>>> = {
  locked: lockedFolder,
  full: ({ folder }) => fullDisk(folder),
  "not-writable": async ({ folder, file, said }) =>
    (await diskTrouble(folder)) ??
    new PermanentError(
      `${file} can't be written (${said})\nMake the file writable for this user, start Lookout as the file's owner, or ${elsewhere}.`,
    ),
  damaged: ({ file, said }) => damagedStateFile(file, said),
  foreign: ({ file }) =>
    new PermanentError(
      `${file} is a database of another program, which Lookout does not change\nMove the file away, or ${elsewhere}.`,
    ),
  "no-file": ({ file }) =>
    new PermanentError(
      `${file} is a folder, a link or a device, but Lookout needs a file\nMove ${file} away, or ${elsewhere}.`,
    ),
  "former-version": ({ folder, file, said }) =>
    new PermanentError(
      `${file} has version ${said}, from a Lookout before the first release; this Lookout reads versions from ${firstVersion} on\n` +
        `Run that earlier Lookout until no update is open, and stop it. Keep its folder: mv "${folder}" "${folder}.old". ` +
        `Then start this Lookout, or ${elsewhere}. Lookout finds the workloads again.\n${whatANewStartMeans}`,
    ),
  "newer-version": ({ file, said }) =>
    new PermanentError(
      `${file} has version ${said}, from a newer Lookout; this Lookout reads versions up to ${fileVersion}\n` +
        `Run the newer Lookout, or ${elsewhere}. To go back to this Lookout, move ${file} and ${file}-* away. ` +
        `Then put the copy from before the migration in its place, such as ${file}.version-${fileVersion}. Later changes are lost.`,
    ),
  "not-migrated": ({ file, said }) =>
    new PermanentError(
      `${file} is of an older Lookout and can't be migrated: ${said}\n` +
        `The file is unchanged. Run the version of Lookout that wrote it, or ${elsewhere}. Report this fault.`,
    ),
};

async function lockedFolder({ folder, file }: Place): Promise<PermanentError> {
  const server = await runningServer(folder);
  if (server === undefined)
    return new PermanentError(
      `another process has ${file} open: a Lookout that starts or stops, or sqlite3\nEnd that process, or ${elsewhere}.`,
    );
  return new PermanentError(
    `another Lookout uses the folder ${folder}: its server.json names process ${server.pid} at ${server.url}\n` +
      `Stop that process, or ${elsewhere}. A process in another container has the number of that container.`,
  );
}

/** Returns the error of a damaged state file, with advice. */
export function damagedStateFile(file: string, said: string): PermanentError {
  return new PermanentError(
    `${file} is damaged, or is not a state file of Lookout: ${said}\n` +
      `Move ${file} and ${file}-* away. Then restore a copy, or start without the file.\n${whatANewStartMeans}`,
  );
}
