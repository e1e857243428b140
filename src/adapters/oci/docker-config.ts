import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PermanentError } from "#ports/errors";
import type { Credential, CredentialSource } from "./credentials.ts";
import { readText } from "./credentials.ts";
import { registryHost } from "./hosts.ts";

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

/**
 * Answers the logins that `docker login` wrote into `config.json` of a folder, read anew each time. No such file: no login.
 *
 * A key may be a host, `host:port`, `host/path` (then for that path's repositories only, the longest path counts) or a URL
 * of the old API (`https://index.docker.io/v1/`). A login that a credential helper keeps is not read; `notice` is told so,
 * once per host.
 */
export function dockerCredentials(folder: string, notice: (text: string) => void): CredentialSource {
  const file = join(folder, "config.json");
  const noticed = new Set<string>();
  return async (host, repository) => {
    if (!existsSync(file)) return undefined;
    const config = parseConfig(file, await readText(file, 'a docker configuration ({"auths": {…}})'));
    const name = registryHost(host);
    const found = longestMatch(config.auths, name, repository);
    const credential = found && credentialOf(found.login, `${file}, auths["${found.key}"]`);
    const helper = helperOf(config, name, found !== undefined);
    if (helper === undefined || (credential !== undefined && helper.kind === "store")) return credential;
    if (!noticed.has(name)) {
      noticed.add(name);
      notice(
        `${file} leaves the login of ${name} to the credential helper "${helper.name}", which is not asked; name it under registries in lookout.yaml`,
      );
    }
    return undefined;
  };
}

function parseConfig(file: string, text: string): Config {
  const expected = 'expected a docker configuration: {"auths": {"<host>": {"auth": "<base64 of user:password>"}}}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which holds passwords.
    throw new PermanentError(`${file} is not JSON; ${expected}`);
  }
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new PermanentError(`${file} has an unexpected value at ${where || "its top"}; ${expected}`);
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

/** Cuts a key of `auths` into the host and the path of repositories; the old API's paths are no repositories. */
function scopeOf(key: string): { readonly host: string; readonly path: string } {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  const host = registryHost(slash < 0 ? bare : bare.slice(0, slash));
  const path = slash < 0 ? "" : bare.slice(slash + 1).replace(/\/+$/, "");
  return { host, path: bare !== key || /^v[12]$/.test(path) ? "" : path };
}

function credentialOf(login: Login, where: string): Credential | undefined {
  if (login.identitytoken !== undefined && login.identitytoken !== "") return { token: login.identitytoken };
  if (login.username !== undefined && login.username !== "" && login.password !== undefined) {
    return { username: login.username, password: login.password };
  }
  if (login.auth === undefined || login.auth === "") return undefined;
  const text = Buffer.from(login.auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  // Docker's own files were padded with NUL at the end once.
  if (colon > 0) return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, "") };
  throw new PermanentError(`${where}.auth is not the base64 form of user:password`);
}

/** Docker leaves an empty login in `auths` for what its store keeps. */
function helperOf(
  config: Config,
  host: string,
  listed: boolean,
): { readonly kind: "helper" | "store"; readonly name: string } | undefined {
  const helper = Object.entries(config.credHelpers).find(([key]) => scopeOf(key).host === host)?.[1];
  if (helper !== undefined) return { kind: "helper", name: helper };
  return config.credsStore !== undefined && listed ? { kind: "store", name: config.credsStore } : undefined;
}
