import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { exitCodes, Failure } from "../failure.ts";
import { paintMark } from "../render/style.ts";
import { serverVerb } from "../server-verb.ts";
import { writeWhole } from "../whole-file.ts";

interface Flags {
  readonly force?: boolean;
}

/** `lookout backup FILE` */
export const addBackup = serverVerb<[file: string], Flags>({
  name: "backup",
  description: "copy the state file of a running local Lookout, which a start can use",
  parameters: [["<file>", "the file to write"]],
  options: (command) => command.option("--force", "replace an existing file"),
  formats: ["text", "json"],
  examples: [
    ["lookout backup state-copy.db", "copy the state of the process of this directory"],
    ["lookout backup --force --data /var/lib/lookout copy.db", "copy another process's state over an earlier copy"],
  ],
  async answer({ world, server, flags, style }, file) {
    const path = resolve(world.cwd, file);
    const refuseExisting = flags.force === true ? () => Promise.resolve() : () => refuseFile(path, file);
    await refuseExisting();
    const interrupted = world.interrupted();
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of await server.download(interrupted)) {
        bytes += piece.byteLength;
        yield piece;
      }
    };
    await writeWhole(path, counted(), refuseExisting).catch((error: unknown) => {
      throw interrupted.aborted ? new Failure(exitCodes.notSo, `Interrupted: ${file} is not written.`) : error;
    });
    return {
      value: { file: path, bytes },
      text: () => `${paintMark("✓", style)} ${bytes} bytes in ${file}, from ${server.label}\n`,
    };
  },
});

async function refuseFile(path: string, file: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new Failure(exitCodes.wrongInput, `${file} exists already.`, ["To replace it:  --force"]);
}
