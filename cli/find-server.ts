import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { nameInToken, tokenPrefix } from "#domain/access/token";
import { isObject, parseJson } from "#domain/shared/json";
import type { DeployedStack } from "#runtime/stack";
import type { ServerFlags } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type StackAsked, stackPlace } from "./stack-place.ts";
import type { Trust, World } from "./world.ts";

/** A server's address and the credentials for it. */
export interface ServerPlace {
  /** The URL, without a slash at the end. */
  readonly url: string;
  readonly token?: string;
  /** The stack of a server on AWS. Requests to a stack are signed. */
  readonly stack?: DeployedStack;
  /** The source of the address, for messages: `named by --server`. */
  readonly found: string;
  /** The name of the token's holder, if the token is a personal token. */
  readonly person?: string;
  /** The certificates that requests trust. Absent for those of the system. */
  readonly trust?: Trust;
  /** The id of the local process that a state folder names. */
  readonly pid?: number;
}

const defaultFolder = ".lookout";

/**
 * Returns the server that the flags name, else the server of the environment, else the process of
 * the state folder (`--data`, `LOOKOUT_DATA` or `./.lookout`).
 *
 * A state folder's token goes only to the process of that folder. A named server gets
 * `LOOKOUT_TOKEN`.
 *
 * @throws Failure for an invalid URL, a folder without a process, an unknown stack, or flags that
 * conflict.
 */
export async function findServerPlace(world: World, flags: ServerFlags): Promise<ServerPlace> {
  const stack = stackAsked(world, flags);
  if (stack !== undefined) return stackPlace(stack, world);
  if (flags.region !== undefined)
    throw new Failure(exitCodes.wrongInput, "--region needs a stack.", [
      "To name a stack:  --stack NAME, or LOOKOUT_STACK without --server, --data or LOOKOUT_SERVER",
    ]);
  const folder = flags.data ?? nonEmpty(world.environment.LOOKOUT_DATA) ?? defaultFolder;
  const local = await localProcess(resolve(world.cwd, folder));
  if (flags.server !== undefined) return namedServer(flags.server, "--server", world, flags, local);
  const named = nonEmpty(world.environment.LOOKOUT_SERVER);
  if (named !== undefined) return namedServer(named, "LOOKOUT_SERVER", world, flags, local);
  if (local === undefined) throw noLocalProcess(folder);
  return { ...local, found: folder === defaultFolder ? "the process of this directory" : `the process of ${folder}` };
}

/** Returns whether a flag or a variable names a server. */
export function namesServer({ environment }: World, { server, stack }: ServerFlags): boolean {
  const names = [server, stack, environment.LOOKOUT_SERVER, environment.LOOKOUT_STACK];
  return names.some((name) => nonEmpty(name) !== undefined);
}

/** Returns the named stack with the source of its name; undefined if the server is not a stack. */
export function stackAsked(
  { environment }: World,
  { server, stack, region, data }: ServerFlags,
): StackAsked | undefined {
  if (stack !== undefined && server !== undefined)
    throw new Failure(exitCodes.wrongInput, "--server and --stack name two servers: remove one of them.");
  const ofRegion = region === undefined ? {} : { region };
  if (stack !== undefined) return { name: stack, source: "--stack", ...ofRegion };
  const name = nonEmpty(environment.LOOKOUT_STACK);
  const other = server ?? data ?? nonEmpty(environment.LOOKOUT_SERVER);
  return name === undefined || other !== undefined ? undefined : { name, source: "LOOKOUT_STACK", ...ofRegion };
}

type LocalProcess = Omit<ServerPlace, "found">;

async function namedServer(
  text: string,
  source: string,
  world: World,
  flags: ServerFlags,
  local: LocalProcess | undefined,
): Promise<ServerPlace> {
  const url = checkedUrl(text, source);
  const ofFolder = local !== undefined && sameServer(local.url, url) ? local : undefined;
  const trust = (await namedAuthorities(url, world)) ?? ofFolder?.trust;
  const place = { url, found: `named by ${source}`, ...(trust === undefined ? {} : { trust }) };
  const own = ofFolder?.token;
  const token = nonEmpty(world.environment.LOOKOUT_TOKEN)?.trim() ?? (await personalTokenInFile(world)) ?? own;
  return token === undefined ? place : withToken(place, token, flags);
}

/**
 * Returns a place with a token for it.
 *
 * @throws Failure for a personal token that would cross a network in plain text
 */
export function withToken(
  place: ServerPlace,
  token: string,
  { allowHttp }: Pick<ServerFlags, "allowHttp">,
): ServerPlace {
  if (!token.startsWith(tokenPrefix)) return { ...place, token };
  const person = nameInToken(token);
  if (person === undefined)
    throw new Failure(exitCodes.wrongInput, "The personal token is not complete: a part of its text is missing.", [
      "Copy the whole text that lookout token create showed, or ask an owner for a new token.",
    ]);
  const { protocol, hostname } = new URL(place.url);
  if (protocol === "http:" && allowHttp !== true && !isThisMachine(hostname))
    throw new Failure(
      exitCodes.wrongInput,
      `${place.url} has no TLS, so others on the network could read the token of ${person}.`,
      ["Use an address with https://", "To send the token nevertheless:  --allow-http"],
    );
  return { ...place, token, person };
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

/** Returns the text of the file LOOKOUT_TOKEN_FILE; undefined without the variable. */
export async function textOfTokenFile({ environment, cwd }: World): Promise<string | undefined> {
  const path = nonEmpty(environment.LOOKOUT_TOKEN_FILE);
  if (path === undefined) return undefined;
  const text = await readFile(resolve(cwd, path), "utf8").catch((error: unknown) => {
    throw new Failure(exitCodes.wrongInput, `LOOKOUT_TOKEN_FILE names ${path}, which can't be read.`, [], {
      cause: error,
    });
  });
  return text.trim();
}

/** Returns the token of `lookout token create` in the file LOOKOUT_TOKEN_FILE; undefined if there is none. */
export async function personalTokenInFile(world: World): Promise<string | undefined> {
  const text = await textOfTokenFile(world);
  return text?.startsWith(tokenPrefix) === true ? text : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function noLocalProcess(folder: string): Failure {
  const place = folder === defaultFolder ? "in this directory" : `with its state in ${folder}`;
  return new Failure(exitCodes.unreachable, `No Lookout runs ${place}.`, [
    "To start Lookout here:  lookout start",
    "To use another server:  --server URL or --stack NAME, LOOKOUT_SERVER or LOOKOUT_STACK",
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

/** Returns the certificates in the file LOOKOUT_CA_FILE; undefined without the variable, or without TLS. */
async function namedAuthorities(url: string, { environment, cwd }: World): Promise<Trust | undefined> {
  const path = nonEmpty(environment.LOOKOUT_CA_FILE);
  if (path === undefined || !url.startsWith("https:")) return undefined;
  const certificates = await readFile(resolve(cwd, path), "utf8").catch((error: unknown) => {
    throw new Failure(exitCodes.wrongInput, `LOOKOUT_CA_FILE names ${path}, which can't be read.`, [], {
      cause: error,
    });
  });
  if (!certificates.includes("-----BEGIN CERTIFICATE-----"))
    throw new Failure(exitCodes.wrongInput, `LOOKOUT_CA_FILE names ${path}, which has no certificate in PEM.`);
  return { certificates, isPinned: false };
}

/** Returns whether two URLs name one server. `localhost`, `[::1]` and `127.0.0.1` are equal. */
function sameServer(left: string, right: string): boolean {
  const spelled = (text: string): string =>
    new URL(text).origin.replace(/\/\/(localhost|\[::1\])(?=:|$)/, "//127.0.0.1");
  return spelled(left) === spelled(right);
}

async function localProcess(folder: string): Promise<LocalProcess | undefined> {
  const announced = await readIfThere(join(folder, "server.json"));
  if (announced === undefined) return undefined;
  const { url, pid, certificate } = announcementOf(announced, join(folder, "server.json"));
  const token = (await readIfThere(join(folder, "token")))?.trim();
  return {
    url: url.replace(/\/+$/, ""),
    ...(pid === undefined ? {} : { pid }),
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { trust: { certificates: certificate, isPinned: true } }),
  };
}

interface Announcement {
  readonly url: string;
  readonly pid?: number;
  readonly certificate?: string;
}

function announcementOf(text: string, path: string): Announcement {
  const value = parseJson(text);
  const { url, pid, certificate } = isObject(value) ? value : {};
  if (typeof url === "string" && URL.canParse(url))
    return {
      url,
      ...(typeof pid === "number" ? { pid } : {}),
      ...(typeof certificate === "string" ? { certificate } : {}),
    };
  throw new Failure(exitCodes.unreachable, `${path} contains no server address.`, [
    "Each start of Lookout writes this file:  lookout start",
  ]);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw new Failure(
      exitCodes.refused,
      `${path} can't be read.`,
      ["Only the user who started this Lookout can read the file."],
      {
        cause: error,
      },
    );
  }
}
