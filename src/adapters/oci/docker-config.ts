import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "#domain/shared/json";
import { PermanentError, TransientError } from "#ports/errors";
import type { AskHelper } from "./credential-helper.ts";
import type { Credential, CredentialSource } from "./credentials.ts";
import { registryHost } from "#domain/registry/host";

const loginSchema = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});
const configSchema = z.object({
  auths: z.record(z.string(), loginSchema).default({}),
  credHelpers: z.record(z.string(), z.string()).default({}),
  credsStore: z.string().optional(),
});

type Login = z.infer<typeof loginSchema>;
type Config = z.infer<typeof configSchema>;

/** The options of docker's logins. */
export interface DockerOptions {
  readonly askHelper: AskHelper;
  /** Receives each problem of a credential helper once. */
  readonly notice: (text: string) => void;
}

/**
 * Returns the logins of docker's `config.json` in a folder. The file is read on each use and may be
 * missing.
 *
 * As in docker, a helper in `credHelpers` precedes `credsStore`, and `credsStore` precedes `auths`.
 * A key is a host, `host:port`, `host/path` or a URL of the old API
 * (`https://index.docker.io/v1/`). Only `auths` has paths, and the longest matching path is used.
 *
 * @throws TransientError when a helper hangs.
 * @throws PermanentError when a helper fails, or for an invalid file. Docker lists all hosts of its
 *   store in `auths`. So a failing store is no error for a host that `auths` does not list.
 * @see https://docs.docker.com/reference/cli/docker/login/#credential-stores
 */
export function dockerCredentials(folder: string, { askHelper, notice }: DockerOptions): CredentialSource {
  const file = join(folder, "config.json");
  const noticed = new Set<string>();
  return async (host, repository, afresh) => {
    if (!existsSync(file)) return undefined;
    const config = parseConfig(file, await readText(file));
    const name = registryHost(host);
    const found = longestMatch(config.auths, name, repository);
    const helper = helperOf(config, name, file);
    if (helper === undefined) return found && credentialOf(found.login, `${file}, auths["${found.key}"]`);
    const answer = await askHelper(helper.name, name, afresh);
    if (answer.kind === "credential")
      return { ...answer.credential, from: `docker-credential-${helper.name} (${helper.where})` };
    if (answer.kind === "none") return helper.named ? { none: answer.text } : undefined;
    const text = `${answer.text} (${helper.where})`;
    if (!noticed.has(`${name} ${text}`)) notice(`the login of ${name}: ${text}`);
    noticed.add(`${name} ${text}`);
    if (!helper.named && found === undefined) return { none: text };
    throw answer.hangs ? new TransientError(text) : new PermanentError(text);
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const message = `${file} can't be read (${code}); it should hold a docker configuration ({"auths": {…}})`;
    throw new PermanentError(message, { cause: error });
  }
}

function parseConfig(file: string, text: string): Config {
  const expected = 'expected a docker configuration: {"auths": {"<host>": {"auth": "<base64 of user:password>"}}}';
  const value = parseJson(text);
  if (value === undefined) throw new PermanentError(`${file} is not JSON: ${expected}`);
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new PermanentError(`${file} has an unexpected value at ${where || "its top"}: ${expected}`);
}

function longestMatch(
  auths: Config["auths"],
  host: string,
  repository: string,
): { readonly key: string; readonly login: Login } | undefined {
  const matches = Object.entries(auths).flatMap(([key, login]) => {
    const scope = scopeOf(key);
    const inside = scope.path === "" || `${repository}/`.startsWith(`${scope.path}/`);
    return scope.host === host && inside ? [{ key, login, length: scope.path.length }] : [];
  });
  return matches.reduce<(typeof matches)[number] | undefined>(
    (best, next) => (best === undefined || next.length > best.length ? next : best),
    undefined,
  );
}

/**
 * Splits a key of `auths` into host and repository path. The old API's paths are not repositories.
 */
function scopeOf(key: string): { readonly host: string; readonly path: string } {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  const host = registryHost(slash < 0 ? bare : bare.slice(0, slash));
  const path = slash < 0 ? "" : bare.slice(slash + 1).replace(/\/+$/, "");
  return { host, path: bare !== key || /^v[12]$/.test(path) ? "" : path };
}

function credentialOf(login: Login, where: string): Credential | undefined {
  if (login.identitytoken !== undefined && login.identitytoken !== "")
    return { token: login.identitytoken, from: where };
  if (login.username !== undefined && login.username !== "" && login.password !== undefined) {
    return { username: login.username, password: login.password, from: where };
  }
  if (login.auth === undefined || login.auth === "") return undefined;
  const text = Buffer.from(login.auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  // Old versions of docker padded the password with NUL.
  const password = text.slice(colon + 1).replace(/\0+$/, "");
  if (colon > 0) return { username: text.slice(0, colon), password, from: where };
  throw new PermanentError(`${where}.auth is not the base64 form of user:password`);
}

/** The helper for a host's login. `named` is true if `credHelpers` lists the host. */
interface ConfiguredHelper {
  readonly name: string;
  readonly where: string;
  readonly named: boolean;
}

/**
 * Returns the helper for a host's login. An empty name in `credHelpers` excludes the host from the
 * store.
 */
function helperOf({ credHelpers, credsStore }: Config, host: string, file: string): ConfiguredHelper | undefined {
  const [key, own] = Object.entries(credHelpers).find(([listed]) => scopeOf(listed).host === host) ?? [];
  const name = own ?? credsStore ?? "";
  if (name === "") return undefined;
  const where = `${file}, ${key === undefined ? "credsStore" : `credHelpers["${key}"]`}`;
  if (/^[A-Za-z0-9._-]+$/.test(name)) return { name, where, named: key !== undefined };
  throw new PermanentError(`${where} is not the name of a credential helper: write the part after docker-credential-`);
}
