import * as z from "zod";
import { parseRegistryHost } from "#contracts/config/registry-host";
import { declaredHost } from "#domain/definitions/declared-host";
import { definitionPlaces } from "#domain/definitions/definition";
import { readValue } from "#contracts/read-value";
import { isPath } from "#domain/image/grammar";
import { formatDuration, parseDuration } from "#domain/shared/duration";
import { isObject } from "#domain/shared/json";
import { nearest, didYouMean } from "#domain/shared/nearest";
import { ok, problem, type Result } from "#domain/shared/result";
import { type DurationMs, hours, minutes, seconds } from "#domain/shared/time";
import { imageRegistry } from "../manifests/definitions/image-registry.ts";
import { object, type Schema } from "../manifests/definitions/schema.ts";

/** The part of an entry of `registries` that an ImageRegistry declares. */
export interface RegistryEntry {
  readonly name: string;
  readonly host: string;
  readonly repositories?: readonly string[];
  readonly insecure?: true;
  readonly rateLimiting?: { readonly requestsPerSecond?: number; readonly burst?: number };
  readonly scan?: { readonly minInterval?: string; readonly defaultInterval?: string };
  readonly circuitBreaker?: {
    readonly enabled?: boolean;
    readonly failureThreshold?: number;
    readonly timeout?: string;
  };
}

/** A field of an ImageRegistry that its entry does not have, and what to write. */
export interface FieldNote {
  readonly field: string;
  readonly message: string;
}

/** An ImageRegistry, translated. Without a host, there is no entry, and a note says why. */
export interface TranslatedRegistry {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly entry?: RegistryEntry;
  readonly notes: readonly FieldNote[];
}

/** The spec of an ImageRegistry that fits the schema of its definition. */
interface Spec {
  readonly type: "ecr" | "harbor" | "dockerhub" | "gcr" | "acr" | "quay" | "generic";
  readonly ecr?: { readonly region: string; readonly accountId?: string };
  readonly harbor?: { readonly url: string; readonly project?: string; readonly insecureSkipVerify?: boolean };
  readonly dockerHub?: { readonly organization?: string };
  readonly gcr?: { readonly project: string; readonly location: string };
  readonly acr?: { readonly registryName: string };
  readonly generic?: { readonly url: string; readonly apiVersion: string };
  readonly auth?: {
    readonly workloadIdentity?: { readonly enabled: boolean };
    readonly secretRef?: object;
    readonly serviceAccountRef?: object;
  };
  readonly rateLimiting?: { readonly requestsPerSecond: number; readonly burst: number };
  readonly circuitBreaker?: {
    readonly enabled: boolean;
    readonly failureThreshold: number;
    readonly successThreshold: number;
    readonly timeout: string;
  };
  readonly scan?: {
    readonly minInterval: string;
    readonly defaultInterval: string;
    readonly tagLimit: number;
    readonly sortBy?: string;
  };
  readonly checkInterval?: string;
  readonly tls?: { readonly insecureSkipVerify?: boolean; readonly caSecretRef?: object };
}

const { group, version } = definitionPlaces.ImageRegistry;
const apiVersion = `${group}/${version}`;

/** Returns whether a value is an ImageRegistry, of any version. */
export function isImageRegistry(value: Readonly<Record<string, unknown>>): boolean {
  const { kind, apiVersion: written } = value;
  return kind === imageRegistry.kind && String(written).split("/")[0] === group;
}

const objectName = (): Schema => ({ type: "string", maxLength: 253, pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" });

const objectSchema = object(
  {
    apiVersion: { type: "string", enum: [apiVersion] },
    metadata: object({ name: objectName(), namespace: objectName() }, ["name"]),
    spec: imageRegistry.spec,
  },
  ["apiVersion", "metadata", "spec"],
);

/**
 * Translates an ImageRegistry into an entry of `registries`.
 *
 * @returns a problem with its field, if the definition's schema refuses the object.
 */
export function translateImageRegistry(value: unknown): Result<TranslatedRegistry, string> {
  const read = readValue(z.fromJSONSchema(objectSchema as Parameters<typeof z.fromJSONSchema>[0]), value);
  if (!read.ok) return read;
  const { metadata, spec } = read.value as {
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly spec: Spec;
  };
  const limits = limitsOf(spec);
  if (!limits.ok) return limits;
  const place = placeOf(spec);
  const notes = [
    ...unknownFields(imageRegistry.spec, spec, "spec"),
    ...(place.ok ? place.value.notes : [{ field: `spec.${blockOf[spec.type] ?? "type"}`, message: place.problem }]),
    ...notesOf(spec),
    ...limits.value.notes,
  ];
  const entry = place.ok ? { name: metadata.name, ...place.value.parts, ...limits.value.parts } : undefined;
  return ok({ namespace: metadata.namespace, name: metadata.name, ...(entry !== undefined && { entry }), notes });
}

/** The key of each type's block. */
const blockOf: Readonly<Partial<Record<Spec["type"], keyof Spec>>> = {
  ecr: "ecr",
  harbor: "harbor",
  dockerhub: "dockerHub",
  gcr: "gcr",
  acr: "acr",
  generic: "generic",
};

interface Place {
  readonly parts: Pick<RegistryEntry, "host" | "repositories" | "insecure">;
  readonly notes: readonly FieldNote[];
}

/** The types whose block names the host. */
const needsBlock: readonly Spec["type"][] = ["ecr", "harbor", "gcr", "acr", "generic"];

/** Returns the host of a registry, and the repositories. The problem says which entry to write. */
function placeOf(spec: Spec): Result<Place, string> {
  const host = hostOf(spec);
  if (!host.ok) return host;
  const project = projectOf(spec);
  if (project !== undefined && !isPath(project))
    return problem("names a project that no image can have: write an entry with repositories");
  const { type, harbor, generic } = spec;
  const url = { harbor, generic }[type as "harbor"]?.url;
  const { notes, isInsecure } = url === undefined ? { notes: [], isInsecure: false } : readUrl(`spec.${type}.url`, url);
  return ok({
    parts: {
      host: host.value,
      ...(project !== undefined && { repositories: [project] }),
      ...(isInsecure && { insecure: true as const }),
    },
    notes,
  });
}

function hostOf(spec: Spec): Result<string, string> {
  const { type, gcr } = spec;
  const block = blockOf[type];
  if (needsBlock.includes(type) && block !== undefined && spec[block] === undefined)
    return problem(`is missing: write an entry with the host of the images (the type is ${type})`);
  const named = type === "gcr" ? googleHost(gcr?.location ?? "us") : declaredHost(spec);
  if (named === undefined) return problem(type === "ecr" ? withoutAccount : withoutHost);
  const host = parseRegistryHost(named);
  return host === undefined
    ? problem("names no host of images, which has a dot or a port: write an entry with that host")
    : ok(host);
}

const withoutAccount = "has no account of 12 digits: write an entry with host: ACCOUNT.dkr.ecr.REGION.amazonaws.com";
const withoutHost = "has no valid url: write an entry with the host of the images";

/** The old locations have hosts of their own, and other locations are those of Artifact Registry. */
function googleHost(location: string): string {
  return ["us", "eu", "asia"].includes(location) ? `${location}.gcr.io` : `${location}-docker.pkg.dev`;
}

function projectOf({ type, harbor, dockerHub, gcr }: Spec): string | undefined {
  return { harbor: harbor?.project, dockerhub: dockerHub?.organization, gcr: gcr?.project }[type as "gcr"];
}

function readUrl(field: string, url: string): { readonly notes: readonly FieldNote[]; readonly isInsecure: boolean } {
  const { protocol, pathname, username, password } = new URL(url);
  const notes = [
    ...(username + password === "" ? [] : [{ field, message: `its credential is left out: ${writeCredential}` }]),
    ...(pathname === "/" ? [] : [{ field, message: "its path is left out: a host of images has none" }]),
  ];
  return { notes, isInsecure: protocol === "http:" };
}

const writeCredential = "write username with passwordEnv, passwordFile, passwordParameter or passwordId";

const noSkip = "no key skips the check of a certificate: write caFile or caParameter for its authority";

/** The fields without a counterpart. A field with its default has no note. */
const withoutKey: readonly (readonly [field: string, applies: (spec: Spec) => boolean, message: string])[] = [
  ["auth.secretRef", ({ auth }) => auth?.secretRef !== undefined, `Lookout never reads Secrets: ${writeCredential}`],
  ["auth.serviceAccountRef", ({ auth }) => auth?.serviceAccountRef !== undefined, `is not used: ${writeCredential}`],
  [
    "auth.workloadIdentity",
    ({ auth, type }) => auth?.workloadIdentity?.enabled === true && type !== "ecr",
    `Lookout has no identity there: ${writeCredential}`,
  ],
  ["tls.insecureSkipVerify", ({ tls }) => tls?.insecureSkipVerify === true, noSkip],
  ["harbor.insecureSkipVerify", ({ harbor }) => harbor?.insecureSkipVerify === true, noSkip],
  [
    "tls.caSecretRef",
    ({ tls }) => tls?.caSecretRef !== undefined,
    "Lookout never reads Secrets: write caFile or caParameter",
  ],
  ["scan.tagLimit", ({ scan }) => (scan?.tagLimit ?? 100) !== 100, "is left out: Lookout reads all tags"],
  [
    "scan.sortBy",
    ({ scan }) => scan?.sortBy === "tagName",
    "is left out: lookout.dev/policy of a workload sorts its tags",
  ],
  [
    "circuitBreaker.successThreshold",
    ({ circuitBreaker }) => (circuitBreaker?.successThreshold ?? 2) !== 2,
    "is left out: the first answer ends a pause",
  ],
  ["generic.apiVersion", ({ generic }) => (generic?.apiVersion ?? "v2") !== "v2", "is left out: Lookout uses v2"],
  ["checkInterval", ({ checkInterval }) => checkInterval !== undefined, "is left out: each sweep checks the registry"],
];

function notesOf(spec: Spec): readonly FieldNote[] {
  const own = blockOf[spec.type];
  const others = Object.values(blockOf).filter((block) => block !== own && spec[block] !== undefined);
  return [
    ...withoutKey.flatMap(([field, applies, message]) => (applies(spec) ? [{ field: `spec.${field}`, message }] : [])),
    ...others.map((block) => ({ field: `spec.${block}`, message: `is left out: the type is ${spec.type}` })),
  ];
}

interface Limits {
  readonly parts: Pick<RegistryEntry, "rateLimiting" | "scan" | "circuitBreaker">;
  readonly notes: readonly FieldNote[];
}

/** The limits of lookout.yaml, where the definition's are wider. */
const week = hours(24 * 7);
const mostFailures = 100;

/** Returns the limits of an entry. A value beyond those of lookout.yaml becomes the nearest allowed one. */
function limitsOf({ rateLimiting, scan, circuitBreaker }: Spec): Result<Limits, string> {
  const times = [
    { field: "spec.scan.minInterval", text: scan?.minInterval, least: minutes(1), most: week },
    { field: "spec.scan.defaultInterval", text: scan?.defaultInterval, least: minutes(1), most: week },
    { field: "spec.circuitBreaker.timeout", text: circuitBreaker?.timeout, least: seconds(1), most: hours(1) },
  ].map(within);
  const wrong = times.find((time) => !time.ok);
  if (wrong?.ok === false) return wrong;
  const [minInterval, defaultInterval, timeout] = times.map((time) => (time.ok ? time.value?.text : undefined));
  const failures = circuitBreaker?.failureThreshold ?? 0;
  return ok({
    parts: {
      ...(rateLimiting !== undefined && { rateLimiting }),
      ...(scan !== undefined && { scan: defined({ minInterval, defaultInterval }) }),
      ...(circuitBreaker !== undefined && {
        circuitBreaker: defined({
          enabled: circuitBreaker.enabled,
          failureThreshold: Math.min(failures, mostFailures),
          timeout,
        }),
      }),
    },
    notes: [
      ...times.flatMap((time) => (time.ok && time.value?.note !== undefined ? [time.value.note] : [])),
      ...(failures > mostFailures
        ? [{ field: "spec.circuitBreaker.failureThreshold", message: `lookout.yaml allows at most ${mostFailures}` }]
        : []),
    ],
  });
}

function within({
  field,
  text,
  least,
  most,
}: {
  readonly field: string;
  readonly text: string | undefined;
  readonly least: DurationMs;
  readonly most: DurationMs;
}): Result<{ readonly text: string; readonly note?: FieldNote } | undefined, string> {
  if (text === undefined) return ok(undefined);
  const read = parseDuration(text);
  if (!read.ok) return problem(`${field}: ${read.problem}`);
  if (read.value < least) return ok(limited(field, "at least", least));
  return ok(read.value > most ? limited(field, "at most", most) : { text: formatDuration(read.value) });
}

function limited(field: string, bound: string, limit: DurationMs): { readonly text: string; readonly note: FieldNote } {
  const text = formatDuration(limit);
  return { text, note: { field, message: `lookout.yaml allows ${bound} ${text}` } };
}

function defined<Parts extends object>(parts: Parts): { [Key in keyof Parts]?: Exclude<Parts[Key], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof defined<Parts>
  >;
}

/** The most unknown fields of an object that are named. */
const mostUnknown = 20;

/** Returns a note for each field that the definition does not know. */
function unknownFields(schema: Schema, value: unknown, place: string): readonly FieldNote[] {
  const properties = schema["properties"];
  if (!isObject(properties) || !isObject(value)) return [];
  const known = Object.keys(properties);
  return Object.entries(value)
    .flatMap(([key, inner]) =>
      Object.hasOwn(properties, key)
        ? unknownFields(properties[key] as Schema, inner, `${place}.${key}`)
        : [{ field: `${place}.${key}`, message: `is left out: it is unknown${didYouMean(nearest(key, known))}` }],
    )
    .slice(0, mostUnknown);
}
