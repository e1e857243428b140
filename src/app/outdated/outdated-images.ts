import { imageNameOf, impliedTag, parseImageReference } from "#domain/image/reference";
import { newestAhead, type Standing, standingOf, type VersionsAhead } from "#domain/policy/versions-ahead";
import type { Advice } from "#domain/policy/suggestion";
import { annotationPrefix } from "#domain/annotations/written-settings";
import { isEnabled } from "#domain/settings/settings";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { WorkloadKind } from "#domain/workload/kinds";
import { ownHost, type RegistryAliases } from "#domain/workload/registry-aliases";
import { type RegistryRules, whyNotAllowed } from "#domain/workload/registry-rules";
import type { ContainerList, LiveContainer, LiveWorkload, WorkloadName } from "#domain/workload/workload";
import type { WorkloadLists } from "#ports/cluster";
import {
  type ManifestRead,
  type Registry,
  type RegistryReason,
  registryReasons,
  type RegistryRefusal,
  type RepositoryName,
  type TagListing,
} from "#ports/registry";
import { answeringRegistry } from "../shared/answering-registry.ts";
import { mapBounded } from "../shared/bounded.ts";
import { readOnce } from "../shared/once.ts";

/** Why an image has no newer tags in the answer. */
export type UnknownReason = RegistryReason | "repository-not-found" | "not-an-image-reference" | "only-a-digest";

/** The result for one container. */
export interface OutdatedImage extends VersionsAhead {
  /** `namespace/kind/name`. */
  readonly workload: string;
  readonly container: string;
  readonly list: ContainerList;
  /** `registry/path`, or the text of the manifest if it is not an image reference. */
  readonly image: string;
  readonly tag?: string;
  readonly digest?: string;
  /**
   * `behind`: a newer version exists. `newest`: none does. `moves`: the tag has no version, and only
   * its digest changes. `no-version`: the tag can't be compared. `unknown`: see `reason`.
   */
  readonly state: "behind" | "newest" | "moves" | "no-version" | "unknown";
  readonly reason?: UnknownReason;
  readonly detail?: string;
  /** True if the registry no longer has the running tag. */
  readonly tagIsGone?: true;
  /** The newer tags of another form. Absent if there are none. */
  readonly skipped?: NonNullable<Advice["skipped"]>;
  /** Settings that would follow the tags. Absent if the image needs none, or none would. */
  readonly settings?: Readonly<Record<string, string>>;
  /** RFC 3339. The instants of the builds, if they were asked for and are known. */
  readonly createdAt?: string;
  readonly newestCreatedAt?: string;
}

/** A workload whose annotations already decide whether Lookout updates it. */
export interface DecidedWorkload {
  readonly workload: string;
  readonly isEnabled: boolean;
}

/** A list of workloads that the cluster refused. */
export interface RefusedList {
  /** The plural of a kind in the API: `cronjobs`. */
  readonly plural: string;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly refusal: "denied" | "unreachable";
  readonly detail: string;
}

/** The images of a cluster, and the lists that are missing. */
export interface OutdatedImages {
  readonly images: readonly OutdatedImage[];
  readonly decided: readonly DecidedWorkload[];
  readonly refused: readonly RefusedList[];
  /** True if the cluster refused every list. */
  readonly nothingListed: boolean;
}

/** A kind of workload, and the plural of its objects in the API. */
export interface ListedKind {
  readonly kind: WorkloadKind;
  readonly plural: string;
}

/** The parts that the images are read with. */
export interface OutdatedPorts {
  readonly lists: WorkloadLists;
  /** The kinds to list. */
  readonly kinds: readonly ListedKind[];
  readonly registry: Registry;
  readonly rules: RegistryRules;
  readonly aliases: RegistryAliases;
  /** Waits until a registry that asked for a short pause may be asked again. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** What a user asks for. */
export interface OutdatedQuestion {
  /** Empty: all allowed namespaces. */
  readonly namespaces: readonly string[];
  readonly isWanted: (workload: WorkloadName) => boolean;
  readonly withAges: boolean;
  /** Called after each repository. */
  readonly onProgress: (done: number, all: number) => void;
}

/** The maximum number of repositories that are read at once. */
const repositoriesAtOnce = 8;
/** The longest pause of a registry that is waited for. A longer pause becomes the reason. */
const longestPauseMs = 30_000;
/** The maximum number of pauses of one registry. */
const mostPauses = 3;

/**
 * Compares each image of a cluster with the tags of its repository. It only reads, and reads each
 * repository once. A refusal of one list, repository or image does not stop the others.
 */
export async function outdatedImages(
  ports: OutdatedPorts,
  question: OutdatedQuestion,
  signal: AbortSignal,
): Promise<OutdatedImages> {
  const { live, refused, nothingListed } = await listWorkloads(ports, question, signal);
  const wanted = live.filter(({ workload }) => question.isWanted(workload));
  const found = wanted.flatMap((one) =>
    one.containers.filter(({ isUnset }) => isUnset !== true).map((container) => foundImage(one, container, ports)),
  );
  const repositories = Map.groupBy(found, ({ repository, ...one }) =>
    repository === undefined ? `${one.row.image} is no repository` : imageNameOf(repository),
  );
  const read = readerOf(ports, signal);
  let done = 0;
  const answered = await mapBounded([...repositories.values()], repositoriesAtOnce, async (images) => {
    // One after the other, so that the requests of a repository don't exceed the registry's limit.
    const rows = await mapBounded(
      images,
      1,
      async (image) => [image, await answerFor(image, read, question.withAges)] as const,
    );
    question.onProgress((done += 1), repositories.size);
    return rows;
  });
  const rows = new Map(answered.flat());
  return {
    images: found.flatMap((image) => rows.get(image) ?? []).toSorted(byWorkload),
    decided: wanted
      .filter(({ annotations }) => isEnabled(annotations) || `${annotationPrefix}enabled` in annotations)
      .map(({ workload, annotations }) => ({
        workload: nameOfWorkload(workload),
        isEnabled: isEnabled(annotations),
      })),
    refused,
    nothingListed,
  };
}

async function listWorkloads(
  { lists, kinds }: Pick<OutdatedPorts, "lists" | "kinds">,
  { namespaces }: OutdatedQuestion,
  signal: AbortSignal,
): Promise<{ readonly live: readonly LiveWorkload[] } & Pick<OutdatedImages, "refused" | "nothingListed">> {
  const places = namespaces.length === 0 ? [undefined] : [...new Set(namespaces)];
  const asked = places.flatMap((namespace) => kinds.map((listed) => ({ namespace, ...listed })));
  const answers = await mapBounded(asked, repositoriesAtOnce, async ({ namespace, kind, plural }) => ({
    plural,
    namespace,
    answer: await lists.listKind(kind, namespace, signal),
  }));
  const refused = answers.flatMap(({ plural, namespace, answer }): readonly RefusedList[] =>
    answer.kind === "listed"
      ? []
      : [
          {
            plural,
            ...(namespace && { namespace }),
            refusal: answer.kind,
            detail: answer.detail,
          },
        ],
  );
  const live = answers.flatMap(({ answer }) => (answer.kind === "listed" ? answer.live : []));
  return { live, refused, nothingListed: refused.length === answers.length };
}

/** The parts of a row that the manifest shows. */
type Place = Pick<OutdatedImage, "workload" | "container" | "list" | "image" | "tag" | "digest">;

interface FoundImage {
  readonly row: Place;
  /** Absent if the repository can't be asked. Then the answer is known. */
  readonly repository?: RepositoryName;
  readonly refusal?: Pick<OutdatedImage, "reason" | "detail">;
}

function foundImage(
  { workload }: LiveWorkload,
  { name, list, image }: LiveContainer,
  { rules, aliases }: Pick<OutdatedPorts, "rules" | "aliases">,
): FoundImage {
  const place = { workload: nameOfWorkload(workload), container: name, list };
  const parsed = parseImageReference(image);
  if (!parsed.ok || parsed.value.registry === "") {
    const detail = parsed.ok ? "the registry of the image is not a host" : parsed.problem.message;
    return { row: { ...place, image }, refusal: { reason: "not-an-image-reference", detail } };
  }
  const { registry: written, repository, ...version } = parsed.value;
  const asked = { registry: ownHost(written, aliases), repository };
  const row = { ...place, image: imageNameOf({ registry: written, repository }), ...version };
  const notAllowed = whyNotAllowed(rules, asked, workload);
  if (notAllowed !== undefined) return { row, refusal: { reason: "registry-not-allowed", detail: notAllowed } };
  if (version.tag === undefined && version.digest !== undefined) return { row, refusal: { reason: "only-a-digest" } };
  return { row, repository: asked };
}

interface Reader {
  readonly tags: (name: RepositoryName) => Promise<TagListing>;
  readonly standing: (name: RepositoryName, tag: string, tags: readonly string[]) => Promise<Standing>;
  readonly createdAt: (name: RepositoryName, version: Pick<Place, "tag" | "digest">) => Promise<EpochMs | undefined>;
}

function readerOf({ registry, pause }: Pick<OutdatedPorts, "registry" | "pause">, signal: AbortSignal): Reader {
  const answering = answeringRegistry(registry);
  const once = readOnce();
  const pauses = sharedPauses((ms) => pause(ms, signal));
  const ask = async <Answer extends { readonly kind: string }>(
    { registry: host }: RepositoryName,
    request: () => Promise<Answer | RegistryRefusal>,
  ): Promise<Answer | RegistryRefusal> => {
    for (;;) {
      const answer = await request();
      const pauseMs = pauseAskedFor(answer);
      if (pauseMs === undefined || !(await pauses(host, pauseMs))) return answer;
    }
  };
  const manifestOf = async (
    name: RepositoryName,
    { tag = impliedTag, digest }: Pick<Place, "tag" | "digest">,
  ): Promise<ManifestRead> => {
    const resolved = digest === undefined ? await ask(name, () => answering.resolve(name, tag, signal)) : undefined;
    if (resolved !== undefined && resolved.kind !== "manifest") return resolved;
    const wanted = resolved?.digest ?? digest ?? "";
    const manifest = await ask(name, () => answering.manifest(name, wanted, signal));
    const [first] = manifest.kind === "manifest" ? manifest.platforms : [];
    return first === undefined ? manifest : ask(name, () => answering.manifest(name, first, signal));
  };
  return {
    tags: (name) => once(`tags ${imageNameOf(name)}`, () => ask(name, () => answering.tags(name, signal))),
    standing: (name, tag, tags) =>
      once(`standing ${imageNameOf(name)} ${tag}`, () => Promise.resolve(standingOf(tag, tags))),
    createdAt: (name, { tag, digest }) =>
      once(`created ${imageNameOf(name)} ${tag ?? ""} ${digest ?? ""}`, async () => {
        const manifest = await manifestOf(name, { ...(tag && { tag }), ...(digest && { digest }) });
        const config = manifest.kind === "manifest" ? manifest.config : undefined;
        const read = config === undefined ? undefined : await ask(name, () => answering.config(name, config, signal));
        return read?.kind === "config" ? read.createdAt : undefined;
      }),
  };
}

/**
 * Returns a function that waits for a registry. All requests to the registry share its pauses. The
 * function returns false without a wait after {@link mostPauses} pauses.
 */
function sharedPauses(pause: (ms: number) => Promise<unknown>): (host: string, ms: number) => Promise<boolean> {
  const counts = new Map<string, number>();
  const running = new Map<string, Promise<unknown>>();
  return async (host, ms) => {
    const count = counts.get(host) ?? 0;
    if (!running.has(host)) {
      if (count >= mostPauses) return false;
      counts.set(host, count + 1);
      running.set(
        host,
        pause(ms).finally(() => running.delete(host)),
      );
    }
    await running.get(host);
    return true;
  };
}

/** Returns the short pause that a registry asks for, or undefined if the answer is final. */
function pauseAskedFor(answer: { readonly kind: string } | RegistryRefusal): number | undefined {
  if (!("reason" in answer) || answer.reason !== "registry-throttled") return undefined;
  const { retryAfterMs } = answer;
  return retryAfterMs === undefined || retryAfterMs > longestPauseMs ? undefined : Math.max(retryAfterMs, 1);
}

async function answerFor(
  { row, repository, refusal }: FoundImage,
  read: Reader,
  withAges: boolean,
): Promise<OutdatedImage> {
  if (repository === undefined) return { ...row, state: "unknown", ...refusal };
  const answer = await compared(row, repository, read);
  if (!withAges || answer.reason !== undefined) return answer;
  const newest = newestAhead(answer);
  const [running, ahead] = await Promise.all([
    read.createdAt(repository, row),
    newest === undefined ? undefined : read.createdAt(repository, { tag: newest }),
  ]);
  return {
    ...answer,
    ...(running === undefined ? {} : { createdAt: toIso(running) }),
    ...(ahead === undefined ? {} : { newestCreatedAt: toIso(ahead) }),
  };
}

const followsDigest = { policy: "digest" } as const;

async function compared(row: Place, repository: RepositoryName, read: Reader): Promise<OutdatedImage> {
  const { tag = impliedTag } = row;
  // No tag is compared with `latest`, so its tags need no request.
  if (tag === impliedTag) return { ...row, state: "moves", settings: followsDigest };
  const listing = await read.tags(repository);
  if (listing.kind === "not-found") return { ...row, state: "unknown", reason: "repository-not-found" };
  if (listing.kind !== "tags") return { ...row, state: "unknown", ...whyRefused(listing) };
  const standing = await read.standing(repository, tag, listing.tags);
  const gone = standing.isListed ? {} : ({ tagIsGone: true } as const);
  if (standing.kind === "moves") return { ...row, state: "moves", settings: followsDigest, ...gone };
  const { skipped, annotations } = standing.advice ?? {};
  const advised = { ...gone, ...(skipped && { skipped }), ...(annotations && { settings: annotations }) };
  if (standing.kind === "not-comparable") return { ...row, state: "no-version", ...advised };
  const { ahead } = standing;
  return { ...row, state: newestAhead(ahead) === undefined ? "newest" : "behind", ...ahead, ...advised };
}

function whyRefused(refusal: RegistryRefusal): Required<Pick<OutdatedImage, "reason" | "detail">> {
  const own = refusal.kind === "unreachable" ? refusal.reason : undefined;
  return { reason: own ?? registryReasons[refusal.kind], detail: refusal.detail };
}

function nameOfWorkload({ namespace, kind, name }: WorkloadName): string {
  return `${namespace}/${kind.toLowerCase()}/${name}`;
}

/** Orders rows by workload. The containers of a workload keep the order of the manifest. */
function byWorkload({ workload: one }: OutdatedImage, { workload: other }: OutdatedImage): number {
  return compareTexts(one, other);
}
