import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isObject, parseJson } from "#domain/shared/json";
import type { DeployedStack } from "#runtime/stack";
import type { ServerFlags } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type StackAsked, stackPlace } from "./stack-place.ts";
import type { World } from "./world.ts";

/** Where a Lookout is, and how to prove oneself to it. */
export interface ServerPlace {
  /** Without a slash at its end. */
  readonly url: string;
  /** Absent: the server is asked without. */
  readonly token?: string;
  /** Present: it is deployed as this stack, and asked with requests that are signed. */
  readonly stack?: DeployedStack;
  /** How it was found, for people: `named by --server`. */
  readonly found: string;
  /** Of the local process, as its folder says. */
  readonly pid?: number;
}

const folderByDefault = ".lookout";

/**
 * Finds the Lookout to ask: `--server` or `--stack`, else `LOOKOUT_SERVER` or `LOOKOUT_STACK`, else the process that keeps its state in
 * `--data`, `LOOKOUT_DATA` or `./.lookout`.
 *
 * The token of a state folder goes to the process of that folder and to nobody else; a server that is named gets `LOOKOUT_TOKEN`.
 *
 * @throws Failure when a URL can't be read, no process has announced itself in the folder, there is no such stack, or flags are of none.
 */
export async function findServerPlace(world: World, flags: ServerFlags): Promise<ServerPlace> {
  const stack = stackAsked(world, flags);
  if (stack !== undefined) return stackPlace(stack, stack.source, world);
  if (flags.region !== undefined)
    throw new Failure(exitCodes.wrongInput, "--region is that of a stack, and no stack is asked.", [
      "To ask one:  --stack NAME, or LOOKOUT_STACK without --server, --data or LOOKOUT_SERVER",
    ]);
  const folder = flags.data ?? filled(world.environment.LOOKOUT_DATA) ?? folderByDefault;
  const local = await localProcess(resolve(world.cwd, folder));
  if (flags.server !== undefined) return namedServer(flags.server, "--server", world, local);
  const named = filled(world.environment.LOOKOUT_SERVER);
  if (named !== undefined) return namedServer(named, "LOOKOUT_SERVER", world, local);
  if (local === undefined) throw noneHere(folder);
  return { ...local, found: folder === folderByDefault ? "the process of this directory" : `the process of ${folder}` };
}

/** Answers the stack that is meant, and what named it; undefined: it is no stack that is asked. */
function stackAsked(
  { environment }: World,
  { server, stack, region, data }: ServerFlags,
): (StackAsked & { readonly source: string }) | undefined {
  if (stack !== undefined && server !== undefined)
    throw new Failure(exitCodes.wrongInput, "--server and --stack name two Lookouts: say which one is asked.");
  const ofRegion = region === undefined ? {} : { region };
  if (stack !== undefined) return { name: stack, source: "--stack", ...ofRegion };
  const name = filled(environment.LOOKOUT_STACK);
  const other = server ?? data ?? filled(environment.LOOKOUT_SERVER);
  return name === undefined || other !== undefined ? undefined : { name, source: "LOOKOUT_STACK", ...ofRegion };
}

type LocalProcess = Omit<ServerPlace, "found">;

function namedServer(
  text: string,
  source: string,
  { environment }: World,
  local: LocalProcess | undefined,
): ServerPlace {
  const url = checkedUrl(text, source);
  const own = local !== undefined && sameServer(local.url, url) ? local.token : undefined;
  const token = filled(environment.LOOKOUT_TOKEN) ?? own;
  return { url, found: `named by ${source}`, ...(token === undefined ? {} : { token }) };
}

/** A variable that is set to nothing says nothing. */
function filled(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function noneHere(folder: string): Failure {
  const place = folder === folderByDefault ? "in this directory" : `with its state in ${folder}`;
  return new Failure(exitCodes.unreachable, `No Lookout runs ${place}.`, [
    "To start one here:    lookout start",
    "To ask another one:   --server URL or --stack NAME, LOOKOUT_SERVER or LOOKOUT_STACK",
  ]);
}

function checkedUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== "" ||
    url.hash !== ""
  )
    throw new Failure(exitCodes.wrongInput, `${source} "${text}" is not the address of a Lookout.`, [
      "Expected for example: http://127.0.0.1:4040",
    ]);
  return url.href.replace(/\/+$/, "");
}

/** Two spellings of this machine with one port are one server. */
function sameServer(left: string, right: string): boolean {
  const spelled = (text: string): string =>
    new URL(text).origin.replace(/\/\/(localhost|\[::1\])(?=:|$)/, "//127.0.0.1");
  return spelled(left) === spelled(right);
}

async function localProcess(folder: string): Promise<LocalProcess | undefined> {
  const announced = await readIfThere(join(folder, "server.json"));
  if (announced === undefined) return undefined;
  const { url, pid } = announcementOf(announced, join(folder, "server.json"));
  const token = (await readIfThere(join(folder, "token")))?.trim();
  return {
    url: url.replace(/\/+$/, ""),
    ...(pid === undefined ? {} : { pid }),
    ...(token === undefined ? {} : { token }),
  };
}

function announcementOf(text: string, path: string): { readonly url: string; readonly pid?: number } {
  const value = parseJson(text);
  const { url, pid } = isObject(value) ? value : {};
  if (typeof url === "string" && URL.canParse(url)) return { url, ...(typeof pid === "number" ? { pid } : {}) };
  throw new Failure(exitCodes.unreachable, `${path} does not say where Lookout is.`, [
    "Lookout writes it anew when it starts:  lookout start",
  ]);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw new Failure(exitCodes.refused, `${path} can't be read.`, ["It belongs to whoever started that Lookout."], {
      cause: error,
    });
  }
}
