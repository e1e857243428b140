import { dirname, isAbsolute, join } from "node:path";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import * as z from "zod";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { printableText } from "#domain/shared/shown-text";
import { PermanentError } from "#ports/errors";
import type { ClusterAccount } from "./account-kubeconfig.ts";

/** The parts of a context that the client library does not read. */
export interface ContextExtras {
  /** The path of a file with a bearer token. */
  readonly tokenFile?: string;
  /** The headers of impersonation, and of a cluster without compression. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The cluster's configuration of a credential plugin, and its field `disable-compression`. */
  readonly pluginCluster?: Readonly<Record<string, unknown>>;
  /** The account, if `lookout cluster add` wrote the kubeconfig. */
  readonly account?: ClusterAccount;
}

/** A context of a kubeconfig. */
export interface ReadContext {
  /** The kubeconfig. Lookout uses its current context. */
  readonly kubeConfig: KubeConfig;
  readonly extras?: ContextExtras;
}

const text = z.string().nullish();
const yesOrNo = z.boolean().nullish();
const texts = z.array(z.string()).nullish();

/** The fields of a user, as in kubectl. */
const userSchema = z.object({
  token: text,
  tokenFile: text,
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  username: text,
  password: text,
  as: text,
  "as-uid": text,
  "as-groups": texts,
  "as-user-extra": z.record(z.string(), z.array(z.string())).nullish(),
  exec: z.record(z.string(), z.unknown()).nullish(),
  "auth-provider": z.record(z.string(), z.unknown()).nullish(),
});

/** The fields of a cluster, as in kubectl. */
const clusterSchema = z.object({
  server: text,
  "certificate-authority": text,
  "certificate-authority-data": text,
  "insecure-skip-tls-verify": yesOrNo,
  "tls-server-name": text,
  "proxy-url": text,
  "disable-compression": yesOrNo,
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })).nullish(),
});

type UserFields = z.infer<typeof userSchema>;
type ClusterFields = z.infer<typeof clusterSchema>;

/**
 * Returns a user in the form of the client library, and the fields that the library does not read.
 * Relative paths are relative to the kubeconfig.
 *
 * @throws PermanentError for a user that kubectl rejects, or that has no usable credential.
 */
export function readUser(
  name: string,
  given: unknown,
  file: string,
): { readonly user: User; readonly extras: ContextExtras } {
  const who = `the user "${printableText(name)}" of the kubeconfig ${file}`;
  const fields = readFields(userSchema, given ?? {}, who);
  const problem = problemOf(fields, given);
  if (problem !== undefined) throw new PermanentError(`${who} ${problem}`);
  const tokenFile = pathIn(file, fields.tokenFile);
  const headers = impersonationHeaders(fields);
  return {
    user: {
      name,
      ...present({
        token: fields.token,
        username: fields.username,
        certData: fields["client-certificate-data"],
        certFile: pathIn(file, fields["client-certificate"]),
        keyData: fields["client-key-data"],
        keyFile: pathIn(file, fields["client-key"]),
      }),
      ...(filled(fields.username) && { password: fields.password ?? "" }),
      ...(fields.exec && { exec: { ...fields.exec, command: commandIn(file, fields.exec["command"]) } }),
      ...(fields["auth-provider"] && { authProvider: fields["auth-provider"] }),
    },
    extras: {
      ...(tokenFile !== undefined && { tokenFile }),
      ...(Object.keys(headers).length > 0 && { headers }),
    },
  };
}

/**
 * Returns a cluster in the form of the client library, and the fields that the library does not
 * read.
 *
 * @throws PermanentError for a cluster that kubectl rejects.
 */
export function readCluster(
  name: string,
  given: unknown,
  file: string,
): { readonly cluster: Cluster; readonly extras: ContextExtras } {
  const which = `the cluster "${printableText(name)}" of the kubeconfig ${file}`;
  const fields = readFields(clusterSchema, given ?? {}, which);
  const problem = clusterProblems.find(([applies]) => applies(fields))?.[1];
  if (problem !== undefined) throw new PermanentError(`${which} ${problem}`);
  const isPlain = fields["disable-compression"] === true;
  const config = fields.extensions?.find((extension) => extension.name === pluginExtension)?.extension;
  const pluginCluster = {
    ...(isPlain && { "disable-compression": true }),
    ...(config !== undefined && { config }),
  };
  return {
    cluster: {
      name,
      server: (fields.server ?? "").replace(/\/$/, ""),
      skipTLSVerify: fields["insecure-skip-tls-verify"] === true,
      ...present({
        caData: fields["certificate-authority-data"],
        caFile: pathIn(file, fields["certificate-authority"]),
        tlsServerName: fields["tls-server-name"],
        proxyUrl: fields["proxy-url"],
      }),
    },
    extras: {
      ...(isPlain && { headers: { "accept-encoding": "identity" } }),
      ...(Object.keys(pluginCluster).length > 0 && { pluginCluster }),
    },
  };
}

/** The extension of a cluster that its credential plugins get. */
const pluginExtension = "client.authentication.k8s.io/exec";

function readFields<Fields>(schema: z.ZodType<Fields>, given: unknown, whose: string): Fields {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const field = read.error.issues[0]?.path[0];
  throw new PermanentError(
    field === undefined
      ? `${whose} has no fields: expected a mapping`
      : `${whose} has an invalid ${String(field)}: expected ${expectedForms[String(field)] ?? "a text (put a number in quotes)"}`,
  );
}

const expectedForms: Readonly<Record<string, string>> = {
  "as-groups": "a list of texts",
  "as-user-extra": "a mapping to lists of texts",
  exec: "a mapping with a command",
  "auth-provider": "a mapping with a name",
  "insecure-skip-tls-verify": "true or false",
  "disable-compression": "true or false",
  extensions: "a list of names and extensions",
};

type Problems<Fields> = readonly (readonly [applies: (fields: Fields) => boolean, text: string])[];

/** The users that kubectl rejects, and the users that need a terminal. */
const userProblems: Problems<UserFields> = [
  bothOf("client-certificate", "client-certificate-data"),
  bothOf("client-key", "client-key-data"),
  [
    (user) => hasCertificate(user) && !filled(user["client-key"]) && !filled(user["client-key-data"]),
    "has a client certificate without a key: add client-key or client-key-data",
  ],
  [
    (user) => hasToken(user) && (filled(user.username) || filled(user.password)),
    "has a token and a username or password: remove one of them, because kubectl allows only one",
  ],
  bothOf("exec", "auth-provider"),
  [
    (user) => user.exec?.["interactiveMode"] === "Always",
    "has an exec with interactiveMode: Always, and Lookout has no terminal for its questions: set IfAvailable or Never, or use a plugin that asks nothing",
  ],
  [
    (user) =>
      !filled(user.as) &&
      (filled(user["as-uid"]) || filled(user["as-groups"]) || Object.keys(user["as-user-extra"] ?? {}).length > 0),
    "has as-uid, as-groups or as-user-extra without as: name the user to impersonate in as",
  ],
  [
    ({ token }) => filled(token) && !isHeaderText(token),
    "has a token with blanks, line breaks or special characters: write only the token",
  ],
  [
    (user) => !impersonated(user).every((value) => isHeaderText(value, " ")),
    "has a field as, as-uid, as-groups or as-user-extra with characters that a request can't carry: use printable ASCII",
  ],
];

const clusterProblems: Problems<ClusterFields> = [
  [({ server }) => !filled(server), "has no server"],
  [
    ({ server }) => !["https:", "http:"].includes(protocolOf(server)),
    "has a server that is not an https:// URL: write https://HOST:PORT",
  ],
  bothOf("certificate-authority", "certificate-authority-data"),
  [
    (cluster) =>
      cluster["insecure-skip-tls-verify"] === true &&
      (filled(cluster["certificate-authority"]) || filled(cluster["certificate-authority-data"])),
    "has a certificate authority and insecure-skip-tls-verify: remove one of them, because kubectl allows only one",
  ],
  [
    (cluster) =>
      filled(cluster["proxy-url"]) && !["http:", "https:", "socks5:"].includes(protocolOf(cluster["proxy-url"])),
    "has a proxy-url that is not an http://, https:// or socks5:// URL",
  ],
];

function bothOf<Field extends string>(
  one: Field,
  other: Field,
): readonly [(fields: Readonly<Partial<Record<Field, unknown>>>) => boolean, string] {
  return [
    (fields) => filled(fields[one]) && filled(fields[other]),
    `has ${one} and ${other}: remove one of them, because kubectl allows only one`,
  ];
}

function problemOf(fields: UserFields, given: unknown): string | undefined {
  return (
    userProblems.find(([applies]) => applies(fields))?.[1] ??
    authProviderProblem(fields["auth-provider"]) ??
    (hasCredential(fields) ? undefined : withoutCredential(given))
  );
}

/** The auth providers that kubectl removed, with the plugin that took their place. */
const removedProviders: Readonly<Record<string, string>> = {
  gcp: "gke-gcloud-auth-plugin",
  azure: "kubelogin",
};

function authProviderProblem(provider: UserFields["auth-provider"]): string | undefined {
  if (provider === undefined || provider === null) return undefined;
  const { name, config } = provider;
  const shown =
    typeof name === "string" ? `the auth-provider "${printableText(name)}"` : "an auth-provider without a name";
  const plugin = typeof name === "string" && Object.hasOwn(removedProviders, name) ? removedProviders[name] : undefined;
  if (plugin !== undefined)
    return `has ${shown}, which kubectl removed in version 1.26: use the credential plugin ${plugin} (exec)`;
  if (name !== "oidc") return `has ${shown}, which Lookout does not know: ${otherProofs}`;
  const { exec } = (config ?? {}) as { readonly exec?: unknown };
  // The client library has no time limit for this program.
  return exec === undefined ? undefined : `has ${shown} with a program in its config: ${otherProofs}`;
}

const otherProofs = "give the user a token, a client certificate or a credential plugin (exec)";

function hasToken(user: UserFields): boolean {
  return filled(user.token) || filled(user.tokenFile);
}

function hasCertificate(user: UserFields): boolean {
  return filled(user["client-certificate"]) || filled(user["client-certificate-data"]);
}

function hasCredential(user: UserFields): boolean {
  return (
    hasToken(user) ||
    hasCertificate(user) ||
    filled(user.username) ||
    filled(user.exec) ||
    filled(user["auth-provider"])
  );
}

/** Describes a user whose requests would be anonymous, with the nearest field for a misspelt one. */
function withoutCredential(given: unknown): string {
  const known = Object.keys(userSchema.shape);
  const named = typeof given === "object" && given !== null ? Object.keys(given) : [];
  const misspelt = named.find((field) => !known.includes(field));
  const hint =
    misspelt === undefined
      ? ""
      : ` (Lookout and kubectl do not know its field ${printableText(misspelt).slice(0, 80)}${didYouMean(nearest(misspelt, known))})`;
  return `has no credential, so its requests would be anonymous${hint}: give the user a token, a tokenFile, a client certificate or a credential plugin (exec)`;
}

/** Returns the headers of impersonation, as client-go sends them. */
function impersonationHeaders(user: UserFields): Readonly<Record<string, string | string[]>> {
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
  return {
    ...(filled(as) && { "impersonate-user": as }),
    ...(filled(uid) && { "impersonate-uid": uid }),
    ...(filled(groups) && { "impersonate-group": [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [`impersonate-extra-${headerName(key)}`, [...values]]),
    ),
  };
}

function impersonated(user: UserFields): readonly string[] {
  return [
    user.as ?? "",
    user["as-uid"] ?? "",
    ...(user["as-groups"] ?? []),
    ...Object.values(user["as-user-extra"] ?? {}).flat(),
  ];
}

/** Encodes a key as the name of a header. The API server decodes it. */
function headerName(key: string): string {
  const isAllowed = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));
  return [...Buffer.from(key, "utf8")]
    .map((byte) =>
      isAllowed(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

/** Returns whether a header can carry a text of printable ASCII. */
export function isHeaderText(value: string, also = ""): boolean {
  return Array.from(value).every((letter) => also.includes(letter) || /[!-~]/.test(letter));
}

/** Returns whether a field has a value. kubectl ignores empty fields. */
function filled<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function present<Fields extends Readonly<Record<string, string | null | undefined>>>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => filled(value))) as {
    [Key in keyof Fields]?: string;
  };
}

function protocolOf(url: string | null | undefined): string {
  return URL.parse(url ?? "")?.protocol ?? "";
}

function pathIn(file: string, path: string | null | undefined): string | undefined {
  return filled(path) ? (isAbsolute(path) ? path : join(dirname(file), path)) : undefined;
}

/** Returns the command of a plugin. A command without a slash is on the `PATH`. */
function commandIn(file: string, command: unknown): unknown {
  return typeof command === "string" && command.includes("/") ? pathIn(file, command) : command;
}
