import { readFile } from "node:fs/promises";

/** A process as a file remembers it. Numbers of processes are used again, so its start is remembered too where the system tells it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and the tick of the start, from `/proc`; absent where there is none. */
  readonly started?: string;
}

/** Answers the identity of a running process; undefined when there is no such process, or only its remains. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!exists(pid)) return undefined;
  try {
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may hold anything; state and start are fields 3 and 22.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : { pid, started: `${boot} ${fields[18] ?? ""}` };
  } catch {
    return exists(pid) ? { pid } : undefined;
  }
}

/**
 * Says whether a remembered process still runs.
 *
 * `perhaps`: a process of that number runs, and the system does not tell whether it is the same.
 */
export async function stillRuns(remembered: ProcessIdentity): Promise<"yes" | "no" | "perhaps"> {
  const running = await identifyProcess(remembered.pid);
  if (running === undefined) return "no";
  if (running.started === undefined || remembered.started === undefined) return "perhaps";
  return running.started === remembered.started ? "yes" : "no";
}

/** Reads an identity from parsed JSON; undefined for anything else. */
export function asProcessIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null || !("pid" in value)) return undefined;
  const { pid } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = "started" in value ? value.started : undefined;
  return typeof started === "string" ? { pid, started } : { pid };
}

/** Signal 0 only asks. A process of someone else may not be asked, but it is there. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Answers the code of a system error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
