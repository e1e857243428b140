import { join } from "node:path";
import { parseJson } from "#domain/shared/json";
import { stateFiles } from "./state-files.ts";
import { codeOf } from "./system-errors.ts";
import { readIfThere } from "./whole-file.ts";

/** The content of `server.json`: the process that uses the folder. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
  /** The certificate of the server, in PEM. Commands trust only this one. Absent without TLS. */
  readonly certificate?: string;
}

/** Returns the server that uses a state folder; undefined without a running server. */
export async function runningServer(folder: string): Promise<ServerFile | undefined> {
  const server = parsed((await readIfThere(join(folder, stateFiles.server))) ?? "");
  return server !== undefined && isRunning(server.pid) ? server : undefined;
}

function parsed(text: string): ServerFile | undefined {
  const { url, pid } = (parseJson(text) ?? {}) as Partial<ServerFile>;
  return typeof url === "string" && Number.isInteger(pid) && Number(pid) > 0 ? { url, pid: Number(pid) } : undefined;
}

/**
 * Returns whether a process runs. Signal 0 only checks whether the process exists. EPERM means that
 * the process belongs to another user.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
