import { join } from "node:path";
import { stateFiles } from "./state-files.ts";
import { codeOf } from "./system-errors.ts";
import { readIfThere } from "./whole-file.ts";

/** What `server.json` says of the process that uses the folder. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
}

/** Reads who uses a state folder; undefined where no file says so, or its process has ended. */
export async function runningServer(folder: string): Promise<ServerFile | undefined> {
  const server = parsed((await readIfThere(join(folder, stateFiles.server))) ?? "");
  return server !== undefined && isRunning(server.pid) ? server : undefined;
}

function parsed(text: string): ServerFile | undefined {
  try {
    const { url, pid } = JSON.parse(text) as Partial<ServerFile>;
    return typeof url === "string" && typeof pid === "number" ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** Signal 0 only asks. A process of someone else may not be asked, but it is there. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
