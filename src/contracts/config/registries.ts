import * as z from "zod";
import { isPath } from "#domain/image/grammar";
import { registryHost as oneName } from "#domain/registry/host";
import { roleArn } from "./aws.ts";
import { registryLimits } from "./registry-limits.ts";
import { besideOtherFaults, partsOf, registryHost, someText } from "./fields.ts";
import { secretFields } from "./secret-fields.ts";
import { registryCa, registryPassword, secretKeys } from "./secret-places.ts";

/** The values of `registryPolicy`: any registry is allowed, or only the entries of `registries`. */
export const registryPolicies = ["any", "listed"] as const;

const passwordKeys = secretKeys(registryPassword);

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
          "Other hosts of the same registry, as in notifications or image references. Patches keep an image's host.",
        ),
      repositories: z
        .array(z.string(aPrefix).refine(isPath, `expected ${aPrefix}`), "a list of prefixes")
        .min(1, "at least one prefix")
        .readonly()
        .exactOptional()
        .describe(
          "The path prefixes of the repositories that the entry serves: shop serves shop and shop/api. Default: all repositories. For other repositories of the host, the entry and its credential are not used.",
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
          "The namespaces whose workloads may use the entry: NAMESPACE, CLUSTER/NAMESPACE or CLUSTER/*. Default: all namespaces.",
        ),
      allowPrivateNetwork: z
        .boolean("true or false")
        .exactOptional()
        .describe("If true, host, endpoint and tokenHosts may have private, link-local and loopback addresses."),
      insecure: z
        .boolean("true or false")
        .exactOptional()
        .describe(
          "If true, Lookout uses HTTP, not HTTPS. Others on the network can read and change passwords and images.",
        ),
      ...secretFields(registryCa, {
        file: "The path of a PEM file, relative to lookout.yaml. Lookout trusts its certificate authorities besides the system's.",
        parameter: "The SSM parameter that holds the registry's certificate authorities, in PEM.",
      }),
      proxy: z
        .string(aProxy)
        .refine(isProxy, `expected ${aProxy}`)
        .exactOptional()
        .describe("The HTTP proxy for requests to the registry. The proxy resolves the host names in its own network."),
      endpoint: registryHost
        .exactOptional()
        .describe(
          "The host or host:port that gets the requests and the credential, instead of the registry's own host.",
        ),
      tokenHosts: z
        .array(registryHost, "a list of hosts")
        .readonly()
        .exactOptional()
        .describe("The hosts of token services that may get the credential, besides the registry itself."),
      username: someText("the name of a user").exactOptional().describe("The user name of Lookout's credential."),
      ...secretFields(registryPassword, {
        variable: "The environment variable that holds the user's password.",
        file: "The path of the file that holds the user's password, relative to lookout.yaml.",
        parameter: "The SSM parameter that holds the user's password.",
        secret: "The secret in Secrets Manager that holds the user's password.",
      }),
      roleArn: roleArn
        .exactOptional()
        .describe(
          "For ECR: the role that reads images, in the registry's account. On AWS, it must trust the output LookoutRegistryRoleArn. Default: the role of the function.",
        ),
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

/**
 * The schema of the registries in `lookout.yaml`. No two entries share a name, a host or a prefix.
 */
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

/** A part of an entry that no other entry may have. */
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
