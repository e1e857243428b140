import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isObject, parseJson } from "#domain/shared/json";
import type { DeployedStack } from "#runtime/stack";
import type { ServerFlags } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type StackAsked, stackPlace } from "./stack-place.ts";
import type { World } from "./world.ts";

/** A server's address and the credentials for it. */
export interface ServerPlace {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token?: string;
  /** Present: requests to this stack are signed. */
  readonly stack?: DeployedStack;
  /** Where the address comes from, for people: `named by --server`. */
  readonly found: string;
  /** The local process of a state folder. */
  readonly pid?: number;
}

const defaultFolder = ".lookout";

/**
 * Finds the server that the flags name, else the environment, else the process of the state folder
 * (`--data`, `LOOKOUT_DATA` or `./.lookout`).
 *
 * A state folder's token goes only to the process of that folder. A named server gets `LOOKOUT_TOKEN`.
 *
 * @throws Failure for an invalid URL, a folder without a process, an unknown stack, or flags that conflict.
 */
export async function findServerPlace(world: World, flags: ServerFlags): Promise<ServerPlace> {
  const stack = stackAsked(world, flags);
  if (stack !== undefined) return stackPlace(stack, world);
  if (flags.region !== undefined)
    throw new Failure(exitCodes.wrongInput, "--region needs a stack.", [
      "To name one:  --stack NAME, or LOOKOUT_STACK without --server, --data or LOOKOUT_SERVER",
    ]);
  const folder = flags.data ?? nonEmpty(world.environment.LOOKOUT_DATA) ?? defaultFolder;
  const local = await localProcess(resolve(world.cwd, folder));
  if (flags.server !== undefined) return namedServer(flags.server, "--server", world, local);
  const named = nonEmpty(world.environment.LOOKOUT_SERVER);
  if (named !== undefined) return namedServer(named, "LOOKOUT_SERVER", world, local);
  if (local === undefined) throw noLocalProcess(folder);
  return { ...local, found: folder === defaultFolder ? "the process of this directory" : `the process of ${folder}` };
}

/**
 * Returns whether a flag or a variable names a server. The settings of a local start would be wrong
 * there.
 */
export function namesServer({ environment }: World, { server, stack }: ServerFlags): boolean {
  const names = [server, stack, environment.LOOKOUT_SERVER, environment.LOOKOUT_STACK];
  return names.some((name) => nonEmpty(name) !== undefined);
}

/** Returns the stack and where its name comes from; undefined when another server is asked. */
function stackAsked({ environment }: World, { server, stack, region, data }: ServerFlags): StackAsked | undefined {
  if (stack !== undefined && server !== undefined)
    throw new Failure(exitCodes.wrongInput, "--server and --stack name two servers: remove one of them.");
  const ofRegion = region === undefined ? {} : { region };
  if (stack !== undefined) return { name: stack, source: "--stack", ...ofRegion };
  const name = nonEmpty(environment.LOOKOUT_STACK);
  const other = server ?? data ?? nonEmpty(environment.LOOKOUT_SERVER);
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
  const token = nonEmpty(environment.LOOKOUT_TOKEN) ?? own;
  return { url, found: `named by ${source}`, ...(token === undefined ? {} : { token }) };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function noLocalProcess(folder: string): Failure {
  const place = folder === defaultFolder ? "in this directory" : `with its state in ${folder}`;
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

/** `localhost`, `[::1]` and `127.0.0.1` are one server. */
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
  throw new Failure(exitCodes.unreachable, `${path} holds no server address.`, [
    "Lookout writes the file when it starts:  lookout start",
  ]);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw new Failure(exitCodes.refused, `${path} can't be read.`, ["Only the user who started that Lookout can."], {
      cause: error,
    });
  }
}
