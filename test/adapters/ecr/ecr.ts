import { createHash } from "node:crypto";
import type { AwsReply, AwsRequest } from "#test/adapters/aws-endpoint";

interface Repository {
  readonly manifests: Map<string, string>;
  readonly tags: Map<string, string>;
}

/** ECR in memory: answers its API, and is pushed to by hand. Listings come in pages of two. */
export function memoryEcr() {
  const repositories = new Map<string, Repository>();
  const put = ({ manifests }: Repository, document: object): string => {
    const content = JSON.stringify(document);
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    manifests.set(digest, content);
    return digest;
  };
  const of = (name: string): Repository => {
    const known = repositories.get(name) ?? { manifests: new Map(), tags: new Map() };
    repositories.set(name, known);
    return known;
  };
  return {
    push(repository: string, tag: string, seed: string, platforms: readonly string[] = []): string {
      const into = of(repository);
      const manifests = platforms.map((platform) => {
        const [os, architecture] = platform.split("/");
        return { digest: put(into, { config: {}, layers: [], seed, platform }), platform: { os, architecture } };
      });
      const digest = put(into, platforms.length > 0 ? { manifests, seed } : { config: {}, layers: [], seed });
      into.tags.set(tag, digest);
      return digest;
    },
    moveTag: (repository: string, tag: string, digest: string) => void of(repository).tags.set(tag, digest),
    deleteTag: (repository: string, tag: string) => void of(repository).tags.delete(tag),
    answer: (request: AwsRequest): AwsReply => answer(repositories, request),
  };
}

function answer(repositories: ReadonlyMap<string, Repository>, { operation, input }: AwsRequest): AwsReply {
  const found = repositories.get(String(input["repositoryName"]));
  if (found === undefined) return { error: "RepositoryNotFoundException" };
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
