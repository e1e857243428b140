import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AwsReply, AwsRequest } from "#test/adapters/aws-endpoint";

interface Repository {
  readonly manifests: Map<string, string>;
  readonly configs: Map<string, string>;
  readonly tags: Map<string, string>;
}

/** ECR in memory: answers its API, and is pushed to by hand. Listings come in pages of two. */
export function memoryEcr() {
  const repositories = new Map<string, Repository>();
  const put = (into: Map<string, string>, document: object): string => {
    const content = JSON.stringify(document);
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    into.set(digest, content);
    return digest;
  };
  const of = (name: string): Repository => {
    const known = repositories.get(name) ?? { manifests: new Map(), configs: new Map(), tags: new Map() };
    repositories.set(name, known);
    return known;
  };
  const image = ({ manifests, configs }: Repository, seed: string, platform: object): string =>
    put(manifests, { config: { digest: put(configs, { ...platform, seed }) }, layers: [], seed });
  let bucket = "http://localhost:1";
  return {
    push(repository: string, tag: string, seed: string, platforms: readonly string[] = []): string {
      const into = of(repository);
      const manifests = platforms.map(platformOf).map((platform) => ({
        digest: image(into, seed, platform),
        platform,
      }));
      const digest =
        platforms.length > 0 ? put(into.manifests, { manifests, seed }) : image(into, seed, platformOf("linux/amd64"));
      into.tags.set(tag, digest);
      return digest;
    },
    /** Pushes a manifest whose configuration has a media type. */
    pushArtifact(repository: string, tag: string, mediaType: string): string {
      const into = of(repository);
      const digest = put(into.manifests, { config: { mediaType, digest: put(into.configs, {}) }, layers: [] });
      into.tags.set(tag, digest);
      return digest;
    },
    moveTag: (repository: string, tag: string, digest: string) => void of(repository).tags.set(tag, digest),
    deleteTag: (repository: string, tag: string) => void of(repository).tags.delete(tag),
    answer: (request: AwsRequest): AwsReply => answer(repositories, bucket, request),
    /**
     * Serves the layers as S3 does, from the addresses that it signed. Ends with the returned
     * function.
     */
    async serveLayers(): Promise<() => void> {
      const server = createServer(({ url = "" }, response) => {
        const { pathname, searchParams } = new URL(url, bucket);
        const content = repositories.get(searchParams.get("repository") ?? "")?.configs.get(pathname.slice(1));
        response.writeHead(content === undefined ? 403 : 200).end(content ?? "<Error/>");
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      bucket = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      return () => {
        server.closeAllConnections();
        server.close();
      };
    },
  };
}

function platformOf(text: string): Readonly<Record<string, string>> {
  const [os = "", architecture = ""] = text.split("/");
  return { os, architecture };
}

function answer(
  repositories: ReadonlyMap<string, Repository>,
  bucket: string,
  { operation, input }: AwsRequest,
): AwsReply {
  const repository = String(input["repositoryName"]);
  const found = repositories.get(repository);
  if (found === undefined) return { error: "RepositoryNotFoundException" };
  if (operation === "GetDownloadUrlForLayer") {
    const layerDigest = String(input["layerDigest"]);
    if (!found.configs.has(layerDigest)) return { error: "LayersNotFoundException" };
    const signed = new URLSearchParams({ repository, "X-Amz-Signature": "canary" }).toString();
    return { json: { layerDigest, downloadUrl: `${bucket}/${layerDigest}?${signed}` } };
  }
  return operation === "ListImages" ? page(found, Number(input["nextToken"] ?? 0)) : image(found, input);
}

function page({ tags }: Repository, from: number): AwsReply {
  const imageIds = [...tags].slice(from, from + 2).map(([imageTag, imageDigest]) => ({ imageTag, imageDigest }));
  return { json: { imageIds, ...(from + 2 < tags.size ? { nextToken: String(from + 2) } : {}) } };
}

function image({ manifests, tags }: Repository, input: AwsRequest["input"]): AwsReply {
  const [imageId = {}] = input["imageIds"] as readonly { readonly imageTag?: string; readonly imageDigest?: string }[];
  const digest = imageId.imageDigest ?? tags.get(imageId.imageTag ?? "");
  const imageManifest = manifests.get(digest ?? "");
  return imageManifest === undefined
    ? { json: { images: [], failures: [{ imageId, failureCode: "ImageNotFound", failureReason: "no" }] } }
    : { json: { images: [{ imageId: { ...imageId, imageDigest: digest }, imageManifest }], failures: [] } };
}
