import * as z from "zod";
import { isPath } from "#domain/image/grammar";
import { registryHost as oneName } from "#domain/registry/host";
import { parameterName, roleArn, secretId } from "./aws.ts";
import { registryLimits } from "./registry-limits.ts";
import { besideOtherFaults, partsOf, registryHost, someText, variable } from "./fields.ts";

/** The allowed images: images of any registry, or only images that an entry serves. */
export const registryPolicies = ["any", "listed"] as const;

const passwordKeys = ["passwordEnv", "passwordFile", "passwordParameter", "passwordId"] as const;

const keysTogether = {
  dependentRequired: Object.fromEntries(passwordKeys.map((key) => [key, ["username"]])),
  dependentSchemas: {
    username: { oneOf: passwordKeys.map((key) => ({ required: [key] })) },
    caFile: { properties: { caParameter: false } },
  },
};

const aName = "a name of letters, digits and ._:-";

const aPrefix = 'the beginning of a repository\'s path, such as "shop" or "shop/api", with no slash at its ends';

const aNamespace = '"NAMESPACE", "CLUSTER/NAMESPACE" or "CLUSTER/*"';

const aProxy = 'the address of a proxy without a password, such as "http://proxy.example.com:3128"';

type Parts = ReturnType<typeof partsOf>;

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === "" && pathname === "/";
}

const Registry = z
  .strictObject(
    {
      name: z
        .string(aName)
        .regex(/^[A-Za-z0-9][\w.:-]{0,254}$/, aName)
        .exactOptional()
        .describe("The name of the entry in messages and commands. Default: its host."),
      host: registryHost.describe("The registry's host as in image references; docker.io for Docker Hub."),
      aliases: z
        .array(registryHost, "a list of hosts")
        .readonly()
        .exactOptional()
        .describe(
          "Other hosts of the same registry: what it calls itself in notifications, and what clusters pull from. Images keep the host that they are written with.",
        ),
      repositories: z
        .array(z.string(aPrefix).refine(isPath, `expected ${aPrefix}`), "a list of prefixes")
        .min(1, "at least one prefix")
        .readonly()
        .exactOptional()
        .describe(
          "The repositories that the entry and its credential serve, by the beginning of their path: shop serves shop and shop/api. Without it: all. Others of the host are asked as if it had no entry, and without any credential.",
        ),
      namespaces: z
        .array(
          z
            .string(aNamespace)
            .regex(/^(?:[a-z0-9][a-z0-9.-]*\/(?:\*|[a-z0-9][a-z0-9-]*)|[a-z0-9][a-z0-9-]*)$/, aNamespace),
          "a list of namespaces",
        )
        .readonly()
        .exactOptional()
        .describe(
          "The namespaces whose workloads may use the entry: NAMESPACE, CLUSTER/NAMESPACE or CLUSTER/*. Without it: all.",
        ),
      allowPrivateNetwork: z
        .boolean("true or false")
        .exactOptional()
        .describe(
          "Lookout may connect to host, endpoint and tokenHosts at addresses that are not public: private, link-local, this machine.",
        ),
      insecure: z
        .boolean("true or false")
        .exactOptional()
        .describe("HTTP instead of HTTPS. Passwords and images can be read and changed on the way."),
      caFile: someText("the path of a file")
        .exactOptional()
        .describe(
          "Path of a PEM file, relative to this file: certificate authorities of the registry, besides those of the system.",
        ),
      caParameter: parameterName.exactOptional().describe("The parameter of SSM that holds the same in PEM."),
      proxy: z
        .string(aProxy)
        .refine(isProxy, `expected ${aProxy}`)
        .exactOptional()
        .describe(
          "The HTTP proxy that the registry is asked through. It resolves the names, so its own network counts.",
        ),
      endpoint: registryHost
        .exactOptional()
        .describe(
          "The address for requests instead of the registry's own host: host or host:port. Its credential goes there.",
        ),
      tokenHosts: z
        .array(registryHost, "a list of hosts")
        .readonly()
        .exactOptional()
        .describe("Hosts of its token service that may see the credential, besides the registry itself."),
      username: someText("the name of a user").exactOptional().describe("The user that Lookout reads with."),
      passwordEnv: variable.exactOptional().describe("The environment variable that holds the user's password."),
      passwordFile: someText("the path of a file")
        .exactOptional()
        .describe("Path of the file that holds the user's password, relative to this file."),
      passwordParameter: parameterName.exactOptional().describe("The parameter of SSM that holds the user's password."),
      passwordId: secretId.exactOptional().describe("The secret of Secrets Manager that holds the user's password."),
      roleArn: roleArn
        .exactOptional()
        .describe("For ECR: the role of its account that reads it. Default: the role of the function."),
      ...registryLimits,
    },
    "a registry with a host",
  )
  .refine(
    (registry) =>
      passwordKeys.filter((key) => registry[key] !== undefined).length === (registry.username === undefined ? 0 : 1),
    { error: `needs username together with one of ${passwordKeys.join(", ")}, or none of them` },
  )
  .refine(
    ({ caFile, caParameter }) => caFile === undefined || caParameter === undefined,
    "needs caFile or caParameter, and not both",
  )
  .meta(keysTogether)
  .transform((registry) => ({ ...registry, name: registry.name ?? registry.host }))
  .readonly();

/** The registries of `lookout.yaml`. Names, repositories and hosts belong to one entry each. */
export const Registries = z
  .array(Registry, "a list of registries")
  .superRefine((registries, context) => {
    const entries = registries.map(partsOf);
    const first = new Map<string, number>(
      entries
        .map(({ host }, index) => [`host ${typeof host === "string" ? oneName(host) : ""}`, index] as const)
        .toReversed(),
    );
    const reported = new Set<string>();
    for (const { what, steps, ...claim } of [...entries.flatMap(namesOf), ...entries.flatMap(aliasesOf)]) {
      const earlier = first.get(claim.key);
      if (earlier === undefined) first.set(claim.key, steps[0]);
      else if (!reported.has(steps.join()))
        context.addIssue({
          code: "custom",
          path: [...steps],
          message: `is already ${what} of entry [${earlier}] of this list`,
        });
      reported.add(earlier === undefined ? "" : steps.join());
    }
  }, besideOtherFaults)
  .readonly();

/** The parts that must be unique among entries. */
interface Claim {
  readonly key: string;
  readonly steps: readonly [number, ...(string | number)[]];
  readonly what: string;
}

function namesOf({ host, name, repositories }: Parts, index: number): readonly Claim[] {
  if (typeof host !== "string") return [];
  const own = { steps: [index, "host"], what: "the host" } as const;
  const prefixes = listOf(repositories).map((prefix, at): Claim => ({
    key: `path ${oneName(host)}/${String(prefix)}`,
    steps: [index, "repositories", at],
    what: "a prefix",
  }));
  return [
    typeof name === "string" && name !== host
      ? { key: `name ${name}`, steps: [index, "name"], what: "the name" }
      : { key: `name ${host}`, ...own },
    ...(prefixes.length === 0 ? [{ key: `path ${oneName(host)}/`, ...own }] : prefixes),
  ];
}

function aliasesOf({ host, aliases }: Parts, index: number): readonly Claim[] {
  const isOtherName = (alias: string) => alias === host || typeof host !== "string" || oneName(alias) !== oneName(host);
  return listOf(aliases).flatMap((alias, at) =>
    typeof alias === "string" && isOtherName(alias)
      ? [{ key: `host ${oneName(alias)}`, steps: [index, "aliases", at], what: "a host" }]
      : [],
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
