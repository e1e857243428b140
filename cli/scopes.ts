import type { Command } from "commander";
import type { WorkloadsView } from "#contracts/api/workloads";
import { nearest } from "#domain/shared/nearest";
import { kindNamed, kindNames } from "#domain/workload/kind-names";
import { builtInKinds, type WorkloadKind } from "#domain/workload/kinds";
import { parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import { exitCodes, Failure } from "./failure.ts";
import type { Server } from "./server.ts";
import { eachPage } from "./workloads.ts";

/**
 * A part of the fleet. Without a member, it is the whole fleet: `prod`, `prod/shop`, the namespace
 * `shop` of every cluster, or workloads.
 */
export interface Scope {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly kind?: WorkloadKind;
  readonly name?: string;
}

/** The flags that narrow a command to a place. */
export interface PlaceFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly cluster?: string;
}

/** Adds `-n`, `-A` and `--cluster`. */
export function withPlace(command: Command): Command {
  return command
    .option("-n, --namespace <name>", "only this namespace")
    .option("-A, --all-namespaces", "all namespaces (the default)")
    .option("--cluster <name>", "only this cluster");
}

/** The text of a scope in the help. */
export const scopeParameter = "a cluster, a namespace, CLUSTER/NAMESPACE, or [cluster/]namespace/[kind/]name";

/** Returns whether a workload is in a scope. */
export function isIn(scope: Scope, workload: WorkloadName): boolean {
  return (
    (scope.cluster === undefined || scope.cluster === workload.cluster) &&
    (scope.namespace === undefined || scope.namespace === workload.namespace) &&
    (scope.kind === undefined || scope.kind === workload.kind) &&
    (scope.name === undefined || scope.name === workload.name)
  );
}

/** Returns whether a workload's whole name is in a scope. */
export function isKeyIn(scope: Scope, key: string): boolean {
  const workload = parseWorkloadKey(key);
  return workload.ok && isIn(scope, workload.value);
}

/**
 * Returns the possible meanings of a word, within a place. One word is a cluster, a namespace or a
 * workload. `prod/deploy/api` is a Deployment in the namespace `prod`, or a workload in the
 * namespace `deploy`.
 *
 * @throws Failure for a text of another form, and for a word outside of the place.
 */
export function meaningsOf(text: string, place: Scope = {}): readonly Scope[] {
  if (text === "*") return [place];
  const meanings = formsOf(text, place);
  const inside = meanings.flatMap((meaning) => within(meaning, place));
  if (inside.length > 0) return inside;
  throw new Failure(exitCodes.wrongInput, `"${text}" is not in ${placeWords(place)}.`, [
    "Write either the whole name or the flag, not both.",
  ]);
}

function formsOf(text: string, place: Scope): readonly Scope[] {
  const parts = text.split("/");
  if (parts.includes("") || parts.length > 4) throw notAName(text);
  return parts.length > 2 ? longFormsOf(text, parts) : shortFormsOf(parts, place);
}

function shortFormsOf([first = "", second = ""]: readonly string[], place: Scope): readonly Scope[] {
  if (second === "") return [{ cluster: first }, { namespace: first }, { name: first }];
  const kind = kindNamed(first);
  return [
    ...(place.namespace === undefined || kind === undefined ? [] : [{ kind, name: second }]),
    { cluster: first, namespace: second },
    { namespace: first, name: second },
  ];
}

function longFormsOf(text: string, parts: readonly string[]): readonly Scope[] {
  const [first = "", second = "", third = "", fourth] = parts;
  if (fourth === undefined) {
    const middle = kindNamed(second);
    const ofCluster: Scope = { cluster: first, namespace: second, name: third };
    return middle === undefined ? [ofCluster] : [{ namespace: first, kind: middle, name: third }, ofCluster];
  }
  const last = kindNamed(third);
  if (last === undefined)
    throw notAName(
      text,
      `"${third}" is not a kind: ${builtInKinds.flatMap(kindNames).join(", ")}, or a kind of lookout.yaml such as rollout.argoproj.io`,
    );
  return [{ cluster: first, namespace: second, kind: last, name: fourth }];
}

/** Returns a meaning with the members of a place; nothing if they contradict each other. */
function within(meaning: Scope, place: Scope): readonly Scope[] {
  const { cluster = place.cluster, namespace = place.namespace } = meaning;
  const isOutside =
    (place.cluster !== undefined && cluster !== place.cluster) ||
    (place.namespace !== undefined && namespace !== place.namespace);
  if (isOutside) return [];
  return [
    { ...meaning, ...(cluster === undefined ? {} : { cluster }), ...(namespace === undefined ? {} : { namespace }) },
  ];
}

function notAName(text: string, why?: string): Failure {
  return new Failure(exitCodes.wrongInput, `"${text}" is not a workload: expected [cluster/]namespace/[kind/]name.`, [
    ...(why === undefined ? [] : [why]),
    "For example: shop/api, prod/shop/api, prod/shop/deployment/api",
  ]);
}

/** Returns the place of the flags. */
export function placeOf({ namespace, allNamespaces, cluster }: PlaceFlags): Scope {
  return {
    ...(cluster === undefined ? {} : { cluster }),
    ...(namespace === undefined || allNamespaces === true ? {} : { namespace }),
  };
}

/** What the server knows of one meaning. */
interface Known {
  readonly scope: Scope;
  /** The workloads of a meaning with a name. */
  readonly keys: readonly string[];
  readonly isKnown: boolean;
}

/**
 * Returns the scope of each word, and the place of the flags without a word.
 *
 * @throws Failure for an unknown word with the nearest name, and for an ambiguous word with its
 *   candidates.
 */
export async function readScopes(
  server: Server,
  words: readonly string[],
  flags: PlaceFlags = {},
): Promise<readonly Scope[]> {
  const place = placeOf(flags);
  if (words.length > 0) return Promise.all(words.map((word) => readScope(server, word, place)));
  if (Object.keys(place).length > 0 && !(await look(server, place)).isKnown) throw await unknownPlace(server, place);
  return [place];
}

async function readScope(server: Server, word: string, place: Scope): Promise<Scope> {
  if (word === "*") return place;
  const [found, ...more] = await candidates(server, word, place);
  if (found === undefined) throw await unknownWord(server, word);
  if (more.length === 0) return found;
  throw ambiguous(word, [found, ...more]);
}

/** The scopes that a command follows. A word may name a workload that does not exist yet. */
export interface FollowedScopes {
  readonly scopes: readonly Scope[];
  /** The failures of words that nothing fits now. */
  readonly unknown: readonly Failure[];
}

/** Returns what a command follows. @throws Failure for an ambiguous word */
export async function readFollowed(
  server: Server,
  words: readonly string[],
  flags: PlaceFlags,
): Promise<FollowedScopes> {
  const place = placeOf(flags);
  if (words.length === 0) return { scopes: await readScopes(server, [], flags), unknown: [] };
  const read = await Promise.all(
    words.map(async (word): Promise<FollowedScopes> => {
      const [found, ...more] = word === "*" ? [place] : await candidates(server, word, place);
      if (found === undefined) return { scopes: meaningsOf(word, place), unknown: [await unknownWord(server, word)] };
      if (more.length > 0) throw ambiguous(word, [found, ...more]);
      return { scopes: [found], unknown: [] };
    }),
  );
  return { scopes: read.flatMap(({ scopes }) => scopes), unknown: read.flatMap(({ unknown }) => unknown) };
}

/** Returns the meanings of a word that fit the fleet. Each workload with the name is one. */
async function candidates(server: Server, word: string, place: Scope): Promise<readonly Scope[]> {
  const known = await Promise.all(meaningsOf(word, place).map((meaning) => look(server, meaning)));
  return known.flatMap(({ scope, keys, isKnown }) => {
    if (!isKnown) return [];
    return scope.name === undefined ? [scope] : keys.flatMap(scopeOfKey);
  });
}

/**
 * Returns the whole name of the workload that a text names. A text with four parts needs no
 * request.
 */
export async function findWorkload(server: Server, text: string, flags: PlaceFlags = {}): Promise<string> {
  const place = placeOf(flags);
  const meanings = meaningsOf(text, place).filter(({ name }) => name !== undefined);
  const [only, ...others] = meanings;
  if (only?.cluster !== undefined && only.kind !== undefined && others.length === 0) return keyOf(only);
  const known = await Promise.all(meanings.map((meaning) => look(server, meaning)));
  const [found, ...more] = known.flatMap(({ keys }) => keys);
  if (found === undefined) throw await unknownWord(server, text, "workload");
  if (more.length === 0) return found;
  throw ambiguous(text, [found, ...more].flatMap(scopeOfKey));
}

function scopeOfKey(key: string): readonly Scope[] {
  const workload = parseWorkloadKey(key);
  return workload.ok ? [workload.value] : [];
}

function keyOf({ cluster = "", namespace = "", kind = "Deployment", name = "" }: Scope): string {
  return workloadKey({ cluster, namespace, kind, name });
}

/** Returns the query of a list for a scope. Its answer may have more workloads: see {@link isIn}. */
export function queryOf({ cluster, namespace, name }: Scope) {
  return {
    ...(cluster === undefined ? {} : { cluster }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { q: name }),
  };
}

const mostRows = 1_000;

async function look(server: Server, scope: Scope): Promise<Known> {
  const query = { ...queryOf(scope), view: "row" as const };
  if (scope.name === undefined) {
    const page = await server.ask("listWorkloads", { query: { ...query, limit: 1 } });
    const isCluster = scope.namespace === undefined && page.clusters.some(({ name }) => name === scope.cluster);
    return { scope, keys: [], isKnown: isCluster || page.total > 0 || keysOf(page).some((key) => isKeyIn(scope, key)) };
  }
  const keys: string[] = [];
  for await (const page of eachPage(server, { ...query, limit: mostRows })) keys.push(...keysOf(page));
  const inside = keys.filter((key) => isKeyIn(scope, key));
  return { scope, keys: inside, isKnown: inside.length > 0 };
}

function keysOf({ rows, unreadable = [] }: Pick<WorkloadsView, "rows" | "unreadable">): readonly string[] {
  return [...rows, ...unreadable].flatMap(({ workload }) => workload ?? []);
}

/** Returns the command's words for a scope: `--cluster prod`, `-n shop`, or a workload's whole name. */
export function scopeWords(scope: Scope): string {
  if (scope.name !== undefined) return keyOf(scope);
  const flags = [
    ...(scope.cluster === undefined ? [] : [`--cluster ${scope.cluster}`]),
    ...(scope.namespace === undefined ? [] : [`-n ${scope.namespace}`]),
  ];
  return flags.length === 0 ? "*" : flags.join(" ");
}

function ambiguous(word: string, scopes: readonly Scope[]): Failure {
  const isOnlyWorkloads = scopes.every(({ name }) => name !== undefined);
  return new Failure(
    exitCodes.wrongInput,
    isOnlyWorkloads
      ? `"${word}" names ${scopes.length} workloads. Use one of these names:`
      : `"${word}" names ${scopes.map(sort).join(" and ")}. Use one of these:`,
    scopes.map(scopeWords),
  );
}

function sort({ cluster, namespace, name }: Scope): string {
  if (name !== undefined) return "a workload";
  if (namespace !== undefined) return cluster === undefined ? "a namespace" : "a namespace of a cluster";
  return "a cluster";
}

/** What the fleet contains, for suggestions. A large fleet is not read to its end. */
async function namesOf(server: Server): Promise<Names> {
  const workloads: WorkloadName[] = [];
  const clusters = new Set<string>();
  let pages = 0;
  for await (const page of eachPage(server, { view: "row", limit: mostRows })) {
    for (const { name } of page.clusters) clusters.add(name);
    workloads.push(
      ...keysOf(page).flatMap((key) => {
        const workload = parseWorkloadKey(key);
        return workload.ok ? [workload.value] : [];
      }),
    );
    if (++pages === 5) break;
  }
  for (const { cluster } of workloads) clusters.add(cluster);
  return { workloads, clusters: [...clusters] };
}

interface Names {
  readonly workloads: readonly WorkloadName[];
  readonly clusters: readonly string[];
}

async function unknownWord(server: Server, word: string, sought: "workload" | "scope" = "scope"): Promise<Failure> {
  const { workloads, clusters } = await namesOf(server);
  const last = word.split("/").at(-1);
  const alike = workloads.filter(({ name }) => name === last).map(workloadKey);
  const isOneWord = !word.includes("/");
  const names = [
    ...(sought === "workload" ? [] : isOneWord ? clusters : []),
    ...workloads.flatMap(({ cluster, namespace, name }) => [
      ...(sought === "workload" ? [] : [isOneWord ? namespace : `${cluster}/${namespace}`]),
      isOneWord ? name : `${namespace}/${name}`,
      `${cluster}/${namespace}/${name}`,
    ]),
  ];
  const suggestion = nearest(word, [...new Set(names)]);
  const isScope = sought === "scope" && isOneWord;
  return new Failure(
    exitCodes.wrongInput,
    isScope ? `No cluster, namespace or workload "${word}" is tracked.` : `No workload "${word}" is tracked.`,
    [
      ...(alike.length === 0 ? [] : [`Workloads with the same name: ${alike.slice(0, 5).join(", ")}`]),
      ...(alike.length > 0 || suggestion === undefined ? [] : [`Did you mean ${suggestion}?`]),
      "To see all tracked workloads:  lookout status",
    ],
  );
}

async function unknownPlace(server: Server, place: Scope): Promise<Failure> {
  const { workloads, clusters } = await namesOf(server);
  const { cluster, namespace } = place;
  if (cluster !== undefined && !clusters.includes(cluster)) {
    const meant = nearest(cluster, clusters);
    return new Failure(exitCodes.wrongInput, `Lookout has no cluster with the name "${cluster}".`, [
      ...(meant === undefined ? [] : [`Did you mean --cluster ${meant}?`]),
      `Clusters: ${clusters.length === 0 ? "none" : clusters.join(", ")}`,
    ]);
  }
  const inCluster = workloads.filter((workload) => cluster === undefined || workload.cluster === cluster);
  const meant = nearest(namespace ?? "", [...new Set(inCluster.map((workload) => workload.namespace))]);
  return new Failure(exitCodes.wrongInput, `Lookout tracks no workload in ${placeWords(place)}.`, [
    ...(meant === undefined ? [] : [`Did you mean -n ${meant}?`]),
    "To see all tracked workloads:  lookout status",
  ]);
}

function placeWords({ cluster, namespace }: Scope): string {
  const words = [
    ...(namespace === undefined ? [] : [`the namespace "${namespace}"`]),
    ...(cluster === undefined ? [] : [`the cluster "${cluster}"`]),
  ];
  return words.join(" of ");
}

/**
 * Returns the text of a scope for the server: `*`, `prod`, `prod/shop`, or a workload's whole name.
 *
 * @throws Failure if a namespace without a cluster is in several clusters.
 */
export async function serverScope(server: Server, scope: Scope): Promise<string> {
  const { cluster, namespace, name } = scope;
  if (name !== undefined) return keyOf(scope);
  if (namespace === undefined) return cluster ?? "*";
  if (cluster !== undefined) return `${cluster}/${namespace}`;
  const { clusters } = await server.ask("listWorkloads", { query: { view: "row", limit: 1 } });
  const known = await Promise.all(clusters.map(({ name: one }) => look(server, { cluster: one, namespace })));
  const [only, ...more] = known.filter(({ isKnown }) => isKnown).map((one) => one.scope);
  if (only === undefined) throw await unknownPlace(server, scope);
  if (more.length > 0) throw ambiguousNamespace(namespace, [only, ...more]);
  return `${only.cluster ?? ""}/${namespace}`;
}

function ambiguousNamespace(namespace: string, scopes: readonly Scope[]): Failure {
  return new Failure(
    exitCodes.wrongInput,
    `The namespace "${namespace}" is in ${scopes.length} clusters. Use one of these:`,
    scopes.map(({ cluster = "" }) => `${cluster}/${namespace}`),
  );
}
