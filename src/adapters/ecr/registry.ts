import {
  BatchGetImageCommand,
  ECRClient,
  GetDownloadUrlForLayerCommand,
  type Image,
  type ImageIdentifier,
  LayersNotFoundException,
  ListImagesCommand,
  RepositoryNotFoundException,
} from "@aws-sdk/client-ecr";
import { PermanentError, TransientError } from "#ports/errors";
import type {
  Asking,
  ConfigRead,
  ManifestRead,
  Registry,
  RegistryRefusal,
  RepositoryName,
  TagListing,
} from "#ports/registry";
import { awsErrorOf, noAnswer, throttledForMs } from "../shared/aws-errors.ts";
import { awsClientOptions, type CredentialProvider } from "../shared/aws.ts";
import { readUpTo } from "../shared/bounded-body.ts";
import { holdTags } from "../shared/held-tags.ts";
import {
  hashesTo,
  longestConfigBytes,
  manifestTypes,
  describedByConfig,
  platformsOf,
} from "../shared/image-content.ts";
import { checkedDigest, checkedTag, checkRepository } from "../shared/registry-names.ts";
import { type EcrHost, parseEcrHost } from "#domain/registry/ecr-host";

/** Options of the ECR adapter. */
export interface EcrRegistryOptions {
  /** Returns the credentials for the registry of a host. */
  readonly credentials: (host: string) => CredentialProvider;
}

/** Images per page of a listing: ECR's maximum. */
const pageSize = 1_000;
/**
 * The maximum number of pages, for a million tags. By default, ECR allows 100,000 images in a
 * repository.
 */
const mostPages = 1_000;

/**
 * Returns the port for the private registries of ECR. Each registry is read in its own account and
 * region.
 *
 * @throws PermanentError from a method, for an invalid name, tag or digest, or a host outside ECR.
 * @see https://docs.aws.amazon.com/AmazonECR/latest/APIReference
 */
export function ecrRegistry({ credentials }: EcrRegistryOptions): Registry {
  const clients = new Map<string, ECRClient>();
  const repositoryOf = (name: RepositoryName, signal: AbortSignal): Repository => {
    checkRepository(name);
    const host = parseEcrHost(name.registry);
    if (host === undefined) throw new PermanentError(`${name.registry} is not a registry of ECR`);
    const client = clients.get(name.registry) ?? clientOf(host, credentials(name.registry));
    clients.set(name.registry, client);
    return { name, host, client, signal };
  };
  const tags: Registry["tags"] = async (name, signal, asked) =>
    asking(repositoryOf(name, signal), (repository) => listTags(repository, asked));
  return {
    tags,
    inspect: async (name, signal, asked) => ({ listing: await tags(name, signal, asked), credentialFrom: "AWS" }),
    resolve: async (name, tag, signal) =>
      asking(repositoryOf(name, signal), async (repository) => {
        const image = await readImage(repository, { imageTag: checkedTag(tag) });
        return image.kind === "manifest" ? { kind: "manifest", digest: image.digest, platforms: [] } : image;
      }),
    manifest: async (name, digest, signal) =>
      asking(repositoryOf(name, signal), (repository) => readImage(repository, { imageDigest: checkedDigest(digest) })),
    // A failure of ECR affects the whole registry of an account and region, so the adapter sends no
    // request.
    answers: () => Promise.resolve({ kind: "no-answer" }),
    config: async (name, digest, signal) =>
      asking(repositoryOf(name, signal), (repository) => readConfig(repository, checkedDigest(digest))),
  };
}

interface Repository {
  readonly name: RepositoryName;
  readonly host: EcrHost;
  readonly client: ECRClient;
  readonly signal: AbortSignal;
}

function clientOf({ region, fips, dualStack }: EcrHost, credentials: CredentialProvider): ECRClient {
  const endpoint = { useFipsEndpoint: fips, useDualstackEndpoint: dualStack };
  return new ECRClient({ ...awsClientOptions, ...endpoint, region, credentials });
}

async function listTags(
  { name, host, client, signal }: Repository,
  { beforePage, spending }: Asking = {},
): Promise<TagListing> {
  const tags = new Set<string>();
  const about = { registryId: host.account, repositoryName: name.repository };
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const stop = page === 0 ? undefined : await beforePage?.();
    if (stop !== undefined) return stop;
    const answer = await client.send(
      new ListImagesCommand({ ...about, filter: { tagStatus: "TAGGED" }, maxResults: pageSize, nextToken }),
      { abortSignal: signal },
    );
    for (const { imageTag } of answer.imageIds ?? []) if (imageTag !== undefined) tags.add(imageTag);
    const over = holdTags(tags.size, name, spending);
    if (over !== undefined) return { kind: "unreachable", reason: "over-budget", detail: over.detail };
    if (answer.nextToken === undefined) return { kind: "tags", tags: [...tags] };
    if (answer.nextToken === nextToken) return unreachable(name, "returned the same page of tags twice");
    nextToken = answer.nextToken;
  }
  return unreachable(name, `lists tags on more than ${mostPages} pages`);
}

async function readImage(repository: Repository, imageId: ImageIdentifier): Promise<ManifestRead> {
  const { name, host, client, signal } = repository;
  const { images = [], failures = [] } = await client.send(
    new BatchGetImageCommand({
      registryId: host.account,
      repositoryName: name.repository,
      imageIds: [imageId],
      acceptedMediaTypes: manifestTypes.split(", "),
    }),
    { abortSignal: signal },
  );
  const [image] = images;
  if (image !== undefined) return manifestOf(name, image, imageId);
  const failure = failures[0]?.failureCode;
  return failure === "ImageNotFound"
    ? { kind: "not-found" }
    : unreachable(name, `returned no image (${failure ?? "no reason given"})`);
}

/**
 * Reads the configuration of an image from ECR's download URL, as `docker pull` does.
 *
 * @see https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_GetDownloadUrlForLayer.html
 */
async function readConfig({ name, host, client, signal }: Repository, layerDigest: string): Promise<ConfigRead> {
  const about = { registryId: host.account, repositoryName: name.repository };
  const { downloadUrl } = await client.send(new GetDownloadUrlForLayerCommand({ ...about, layerDigest }), {
    abortSignal: signal,
  });
  const content = downloadUrl === undefined ? "ECR returned no download URL" : await download(downloadUrl, signal);
  if (typeof content === "string") return unreachable(name, `returned no configuration: ${content}`);
  if (!hashesTo(content, layerDigest)) return unreachable(name, `sent content that does not hash to ${layerDigest}`);
  return { kind: "config", ...describedByConfig(content) };
}

/** Returns the content of a URL of S3, or the reason why it can't be read. */
async function download(url: string, signal: AbortSignal): Promise<Buffer | string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, { signal: limit, redirect: "error" });
    if (answer.status !== 200 || answer.body === null) return `${host} answered ${answer.status}`;
    const content = await readUpTo(longestConfigBytes, answer.body);
    return content ?? `${host} sent more than ${longestConfigBytes} bytes`;
  } catch (error) {
    if (signal.aborted) throw error;
    // The error's message may contain the signed URL.
    return `${host} could not be reached (${error instanceof Error ? error.name : "unknown error"})`;
  }
}

/**
 * Returns the manifest of an image. Its content must match the requested digest, or ECR's digest of
 * the tag.
 */
function manifestOf(
  name: RepositoryName,
  { imageId, imageManifest = "" }: Image,
  asked: ImageIdentifier,
): ManifestRead {
  const digest = asked.imageDigest ?? imageId?.imageDigest ?? "";
  const content = Buffer.from(imageManifest);
  if (!hashesTo(content, digest))
    return unreachable(name, `sent content that does not hash to ${digest || "a digest"}`);
  const platforms = platformsOf(content);
  if (platforms === undefined) return unreachable(name, `sent content for ${digest} that is not an image manifest`);
  return { kind: "manifest", digest, ...platforms };
}

async function asking<Answer>(
  repository: Repository,
  ask: (repository: Repository) => Promise<Answer>,
): Promise<Answer | { readonly kind: "not-found" } | RegistryRefusal> {
  try {
    return await ask(repository);
  } catch (error) {
    const { name, signal } = repository;
    if (signal.aborted)
      throw new TransientError(`the caller cancelled the request to ${name.registry}`, { cause: error });
    if (error instanceof PermanentError) throw error;
    const isMissing = error instanceof RepositoryNotFoundException || error instanceof LayersNotFoundException;
    return isMissing ? { kind: "not-found" } : refusal(error, repository);
  }
}

function refusal(error: unknown, { name }: Repository): RegistryRefusal {
  const { text, isTransient } = noAnswer(
    error,
    "ECR",
    `ECR denied access to ${name.repository}: allow ecr:ListImages, ecr:BatchGetImage and, to read the platform of a single image, ecr:GetDownloadUrlForLayer. A repository of another account must allow them in its repository policy too`,
  );
  const detail = `${name.registry}: ${text}`;
  if (isTransient !== true) return { kind: "denied", detail };
  const { kind, code } = awsErrorOf(error);
  if (kind !== "throttled") return { kind: "unreachable", detail, isOutage: true };
  return {
    kind: "unreachable",
    reason: "registry-throttled",
    detail: `${name.registry}: ECR allows no more requests (${code})`,
    retryAfterMs: throttledForMs,
  };
}

function unreachable({ registry }: RepositoryName, what: string): RegistryRefusal & { readonly kind: "unreachable" } {
  return { kind: "unreachable", detail: `${registry} ${what}` };
}
